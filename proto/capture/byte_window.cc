#include "proto/capture/byte_window.h"

#include <algorithm>
#include <cstring>

namespace dstap::capture {

Status ByteWindow::Fill(size_t size) {
  if (end_ - begin_ >= size || at_end_) return {};
  if (begin_ + size + kReadBytes > buffer_.size()) {
    if (begin_ != end_) {
      std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    }
    end_ -= begin_;
    begin_ = 0;
    if (size + kReadBytes > buffer_.size()) buffer_.resize(size + kReadBytes);
  }
  while (end_ - begin_ < size) {
    DSTAP_TRY_ASSIGN(const size_t n, source_->Read({buffer_.data() + end_, buffer_.size() - end_}));
    if (n == 0) {
      at_end_ = true;
      break;
    }
    end_ += n;
  }
  return {};
}

}  // namespace dstap::capture
