// SPDX-License-Identifier: Apache-2.0
#include "trace/stream_reader.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace foretask::trace {
namespace {

using record::PacketHead;

// No recorder writes larger packets; a damaged size must not make the reader allocate without bound.
constexpr std::uint64_t kMaxPacketBytes = 64 << 20;
// Packets begin at multiples of 8 bytes.
constexpr std::uint64_t kPacketAlignment = 8;

}  // namespace

Result<StreamReader> StreamReader::open(const std::string& path, const record::TraceId& uuid) {
  StreamReader reader;
  // Of a FIFO without a writer the open would wait for ever.
  reader.file_ = base::FileDescriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!reader.file_.is_open()) return Error{"cannot open", path, 0, errno};
  struct stat status {};
  if (::fstat(reader.file_.get(), &status) != 0) return Error{"cannot read", path, 0, errno};
  if (!S_ISREG(status.st_mode)) return Error{"is no file", path};
  reader.size_ = static_cast<std::uint64_t>(status.st_size);
  reader.uuid_ = uuid;
  reader.uuid_known_ = uuid != record::TraceId{};
  return reader;
}

StreamReader StreamReader::from_memory(const std::uint8_t* bytes, std::size_t size) {
  StreamReader reader;
  reader.memory_ = bytes;
  reader.size_ = size;
  return reader;
}

bool StreamReader::read_at(std::uint64_t offset, void* to, std::size_t size) noexcept {
  if (offset > size_ || size > size_ - offset) return false;
  if (size == 0) return true;  // `to` may be null
  if (memory_) {
    std::memcpy(to, memory_ + offset, size);
    return true;
  }
  auto* bytes = static_cast<std::uint8_t*>(to);
  while (size != 0) {
    const ssize_t got = ::pread(file_.get(), bytes, size, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    bytes += got;
    offset += static_cast<std::uint64_t>(got);
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

bool StreamReader::plausible(const PacketHead& head) const noexcept {
  return head.magic == record::kPacketMagic && head.format_version == record::kFormatVersion &&
         head.packet_bits >= sizeof(PacketHead) * 8 && head.packet_bits % 64 == 0 &&
         head.packet_bits <= kMaxPacketBytes * 8 && head.content_bits >= sizeof(PacketHead) * 8 &&
         head.content_bits <= head.packet_bits && head.content_bits % 32 == 0;
}

bool StreamReader::is_ours(const PacketHead& head) const noexcept { return !uuid_known_ || head.uuid == uuid_; }

bool StreamReader::is_foreign() noexcept {
  PacketHead head;
  std::uint64_t offset = 0;
  return read_at(0, &head, sizeof head) && plausible(head) && !is_ours(head) && !find_packet(offset);
}

bool StreamReader::find_packet(std::uint64_t& offset) noexcept {
  std::array<std::uint32_t, 4096> window{};
  for (std::uint64_t at = offset; at + sizeof(PacketHead) <= size_;) {
    const std::size_t bytes = std::min<std::uint64_t>(sizeof window, size_ - at);
    if (!read_at(at, window.data(), bytes)) return false;
    for (std::size_t word = 0; word < bytes / 4; word += kPacketAlignment / 4) {
      if (window[word] != record::kPacketMagic) continue;
      PacketHead head;
      if (read_at(at + word * 4, &head, sizeof head) && plausible(head) && is_ours(head)) {
        offset = at + word * 4;
        return true;
      }
    }
    at += bytes / kPacketAlignment * kPacketAlignment;
  }
  return false;
}

bool StreamReader::is_empty_from(std::uint64_t offset) noexcept {
  std::array<std::uint8_t, 4096> window{};
  for (std::uint64_t at = offset; at < size_; at += window.size()) {
    const std::size_t bytes = std::min<std::uint64_t>(window.size(), size_ - at);
    if (!read_at(at, window.data(), bytes)) return false;
    if (std::any_of(window.begin(), window.begin() + static_cast<std::ptrdiff_t>(bytes),
                    [](std::uint8_t byte) { return byte != 0; }))
      return false;
  }
  return true;
}

bool StreamReader::next_packet_slow() noexcept {
  at_ = end_ = nullptr;
  while (offset_ < size_) {
    PacketHead head;
    if (!read_at(offset_, &head, sizeof head)) {
      damage_.cut = true;
      offset_ = size_;
      return false;
    }
    if (!plausible(head) || !is_ours(head)) {
      const std::uint64_t from = offset_;
      if (find_packet(offset_)) {
        damage_.skipped_bytes += offset_ - from;
      } else {
        if (!is_empty_from(from)) damage_.skipped_bytes += size_ - from;
        offset_ = size_;
      }
      continue;
    }
    const std::uint64_t available = size_ - offset_;
    std::uint64_t content = head.content_bits / 8;
    if (available < head.packet_bits / 8) damage_.cut = true;
    content = std::min(content, available / 4 * 4);
    const std::size_t words = (content - sizeof head) / 4;
    buffer_.resize(words);
    if (!read_at(offset_ + sizeof head, buffer_.data(), words * 4)) {
      damage_.cut = true;
      offset_ = size_;
      return false;
    }
    offset_ += std::min(available, head.packet_bits / 8);
    if (head.sequence > next_sequence_)
      damage_.lost_packets += std::min<std::uint64_t>(head.sequence - next_sequence_, 1U << 20);
    next_sequence_ = head.sequence + 1;
    discarded_ = std::max(discarded_, head.events_discarded);
    head_ = head;
    ++packets_;
    ticks_ = head.timestamp_begin;
    at_ = buffer_.data();
    end_ = at_ + words;
    if (words != 0) return true;
  }
  return false;
}

void StreamReader::leave_broken_packet() noexcept {
  ++damage_.broken_packets;
  damage_.skipped_bytes += static_cast<std::uint64_t>(end_ - at_) * 4;
  at_ = end_;
}

}  // namespace foretask::trace
