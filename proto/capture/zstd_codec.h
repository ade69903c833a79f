// zstd, with its contexts kept from chunk to chunk.
#pragma once

#include <zstd.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>

namespace dstap::capture {

class ZstdCompressor {
 public:
  explicit ZstdCompressor(int level) : context_(ZSTD_createCCtx()), level_(level) {}

  static size_t Bound(size_t bytes) { return ZSTD_compressBound(bytes); }

  // The compressed size, or nothing when zstd failed. Bound(in.size()) bytes must be free at `out`.
  std::optional<size_t> Compress(std::string_view in, char* out) {
    const size_t size =
        ZSTD_compressCCtx(context_.get(), out, Bound(in.size()), in.data(), in.size(), level_);
    if (ZSTD_isError(size) != 0) return std::nullopt;
    return size;
  }

 private:
  struct Free {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  };
  std::unique_ptr<ZSTD_CCtx, Free> context_;
  int level_;
};

class ZstdDecompressor {
 public:
  ZstdDecompressor() : context_(ZSTD_createDCtx()) {}

  // True when `in` is exactly `size` bytes of something. Never writes more than `size` at `out`,
  // whatever the frame claims, and needs no window of its own.
  bool Decompress(std::string_view in, char* out, size_t size) {
    const size_t n = ZSTD_decompressDCtx(context_.get(), out, size, in.data(), in.size());
    return ZSTD_isError(n) == 0 && n == size;
  }

 private:
  struct Free {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  };
  std::unique_ptr<ZSTD_DCtx, Free> context_;
};

}  // namespace dstap::capture
