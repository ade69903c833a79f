#include "tests/fuzz/wire_mutator.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "proto/capture/wire.h"

namespace dstap::fuzz {
namespace {

using capture::WireReader;
using capture::WireTag;
using capture::WireType;

constexpr int kDepthMax = 8;
// What one field may grow to by what is done here.
constexpr size_t kFieldBytesMax = size_t{1} << 20;

struct Field {
  uint32_t number = 0;
  WireType type = WireType::kVarint;
  uint64_t value = 0;   // A number's.
  std::string payload;  // With WireType::kBytes.
};

// False when `message` is not all fields.
bool Split(std::string_view message, std::vector<Field>& fields) {
  WireReader reader(message);
  while (!reader.AtEnd()) {
    Field field;
    if (!reader.Tag(field.number, field.type)) return false;
    if (field.type == WireType::kBytes) {
      std::string_view payload;
      if (!reader.Bytes(payload)) return false;
      field.payload = payload;
    } else if (field.type == WireType::kVarint) {
      if (!reader.Varint(field.value)) return false;
    } else if (field.type == WireType::kFixed64) {
      if (!reader.Fixed64(field.value)) return false;
    } else {
      const char* const at = reader.at();
      if (!reader.Skip(field.type)) return false;
      field.payload.assign(at, 4);
    }
    fields.push_back(std::move(field));
  }
  return true;
}

void AppendVarint(uint64_t value, std::string& out) {
  std::array<char, 10> buffer{};
  char* const end = capture::WriteVarint(buffer.data(), value);
  out.append(buffer.data(), static_cast<size_t>(end - buffer.data()));
}

std::string Join(const std::vector<Field>& fields) {
  std::string out;
  for (const Field& field : fields) {
    AppendVarint(WireTag(field.number, field.type), out);
    switch (field.type) {
      case WireType::kVarint:
        AppendVarint(field.value, out);
        break;
      case WireType::kFixed64: {
        std::array<char, 8> buffer{};
        capture::WriteFixed64(buffer.data(), field.value);
        out.append(buffer.data(), buffer.size());
        break;
      }
      case WireType::kBytes:
        AppendVarint(field.payload.size(), out);
        out += field.payload;
        break;
      case WireType::kFixed32:
        out += field.payload;
        break;
    }
  }
  return out;
}

// Numbers at which something changes.
uint64_t Strange(uint64_t value, Prng& random) {
  static constexpr std::array kStrange = {
      uint64_t{0},
      uint64_t{1},
      uint64_t{2},
      uint64_t{3},
      uint64_t{127},
      uint64_t{128},
      uint64_t{1000},
      uint64_t{65'536},
      uint64_t{1} << 20,
      uint64_t{16} << 20,
      uint64_t{1'000'000'000},
      uint64_t{std::numeric_limits<int32_t>::max()},
      uint64_t{1} << 31,
      uint64_t{std::numeric_limits<uint32_t>::max()},
      uint64_t{1} << 32,
      uint64_t{1} << 53,
      static_cast<uint64_t>(std::numeric_limits<int64_t>::max()) / 1000,
      static_cast<uint64_t>(std::numeric_limits<int64_t>::max()),
      uint64_t{1} << 63,
      std::numeric_limits<uint64_t>::max() - 1,
      std::numeric_limits<uint64_t>::max(),
  };
  switch (random.Below(4)) {
    case 0:
      return kStrange[random.Below(kStrange.size())];
    case 1:
      return value + random.Below(5) - 2;
    case 2:
      return random.Below(64);
    default:
      return value ^ uint64_t { 1 } << random.Below(64);
  }
}

// A packed column: one of its numbers changed, or one more or less.
bool MutatePacked(std::string& packed, Prng& random) {
  std::vector<uint64_t> numbers;
  WireReader reader(packed);
  while (!reader.AtEnd()) {
    uint64_t number = 0;
    if (!reader.Varint(number)) return false;
    numbers.push_back(number);
  }
  if (numbers.empty()) return false;
  const size_t at = random.Below(numbers.size());
  const uint64_t what = random.Below(8);
  if (what == 0) {
    numbers.erase(numbers.begin() + static_cast<std::ptrdiff_t>(at));
  } else if (what == 1) {
    numbers.insert(numbers.begin() + static_cast<std::ptrdiff_t>(at), numbers[at]);
  } else {
    numbers[at] = Strange(numbers[at], random);
  }
  packed.clear();
  for (const uint64_t number : numbers) AppendVarint(number, packed);
  return true;
}

std::string Mutate(std::string_view message, Prng& random, const ByteMutator& mutate, int depth);

void MutateField(Field& field, Prng& random, const ByteMutator& mutate, int depth) {
  if (field.type == WireType::kVarint || field.type == WireType::kFixed64) {
    field.value = Strange(field.value, random);
    return;
  }
  if (field.type == WireType::kFixed32) return;
  const uint64_t what = random.Below(8);
  std::vector<Field> inner;
  if (what < 4 && depth < kDepthMax && !field.payload.empty() && Split(field.payload, inner)) {
    field.payload = Mutate(field.payload, random, mutate, depth + 1);
  } else if (what >= 7 || !MutatePacked(field.payload, random)) {
    mutate(field.payload);
  }
  if (field.payload.size() > kFieldBytesMax) field.payload.resize(kFieldBytesMax);
}

std::string Mutate(std::string_view message, Prng& random, const ByteMutator& mutate, int depth) {
  std::vector<Field> fields;
  if (!Split(message, fields) || fields.empty()) {
    std::string bytes(message);
    mutate(bytes);
    return bytes;
  }
  const size_t at = random.Below(fields.size());
  const auto place = fields.begin() + static_cast<std::ptrdiff_t>(at);
  switch (random.Below(16)) {
    case 0:
      fields.erase(place);
      break;
    case 1: {
      Field copy = *place;
      fields.insert(fields.begin() + static_cast<std::ptrdiff_t>(random.Below(fields.size() + 1)),
                    std::move(copy));
      break;
    }
    case 2:
      std::swap(fields[at], fields[random.Below(fields.size())]);
      break;
    case 3:
      fields[at].number = static_cast<uint32_t>(1 + random.Below(50));
      break;
    default:
      // The large fields are where the records are: those more often than their number.
      MutateField(random.Below(2) == 0
                      ? fields[at]
                      : *std::ranges::max_element(fields, {},
                                                  [](const Field& f) { return f.payload.size(); }),
                  random, mutate, depth);
  }
  return Join(fields);
}

}  // namespace

void MutateBytes(std::string& bytes, Prng& random) {
  const size_t at = bytes.empty() ? 0 : random.Below(bytes.size());
  const auto any = static_cast<char>(random.Below(256));
  switch (bytes.empty() ? 1 : random.Below(5)) {
    case 0:
      bytes[at] = static_cast<char>(bytes[at] ^ 1 << random.Below(8));
      break;
    case 1:
      bytes.insert(at, 1 + random.Below(3), any);
      break;
    case 2:
      bytes.erase(at, 1 + random.Below(4));
      break;
    case 3:
      bytes.insert(at, bytes.substr(at, 1 + random.Below(16)));
      break;
    default:
      bytes[at] = any;
  }
}

std::string MutateMessage(std::string_view message, Prng& random, const ByteMutator& mutate) {
  return Mutate(message, random, mutate, 0);
}

}  // namespace dstap::fuzz
