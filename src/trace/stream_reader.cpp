// SPDX-License-Identifier: Apache-2.0
#include "trace/stream_reader.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "trace/packet.hpp"

namespace foretask::trace {
namespace {

std::string counted(std::uint64_t count, const char* one, const char* several) {
  return std::to_string(count) + " " + (count == 1 ? one : several);
}

using trace::PacketHead;

// No recorder writes larger packets; a damaged size must not make the reader allocate without bound.
constexpr std::uint64_t kMaxPacketBytes = 64 << 20;
// Packets begin at multiples of 8 bytes.
constexpr std::uint64_t kPacketAlignment = 8;

bool has_checksum(const PacketHead& head) { return head.format_version > trace::kVersionWithoutChecksum; }

std::size_t head_bytes(const PacketHead& head) {
  return has_checksum(head) ? sizeof(PacketHead) : trace::kHeadBytesWithoutChecksum;
}

}  // namespace

std::string damage_text(std::uint32_t stream, const StreamDamage& damage) {
  if (!damage.any()) return {};
  const std::string name = "stream_" + std::to_string(stream);
  std::vector<std::string> parts;
  if (damage.cut) parts.emplace_back("it is cut short");
  if (damage.lost_packets != 0)
    parts.push_back(counted(damage.lost_packets, "packet is missing", "packets are missing"));
  if (damage.repeated_packets != 0)
    parts.push_back(counted(damage.repeated_packets, "packet is there twice", "packets are there twice"));
  if (damage.misplaced_packets != 0)
    parts.push_back(counted(damage.misplaced_packets, "packet is of another stream", "packets are of another stream"));
  if (damage.mistimed_packets != 0)
    parts.push_back(counted(damage.mistimed_packets, "packet has", "packets have") + " impossible time stamps");
  if (damage.skipped_bytes != 0)
    parts.push_back(counted(damage.skipped_bytes, "byte is not valid", "bytes are not valid"));
  std::string text;
  if (damage.damaged_packets == 1) {
    text =
        "packet " + std::to_string(damage.first_damaged) + " of " + name + " is damaged: its checksum does not match";
  } else if (damage.damaged_packets != 0) {
    text = std::to_string(damage.damaged_packets) + " packets of " + name + " are damaged, the first is packet " +
           std::to_string(damage.first_damaged) + ": their checksums do not match";
  } else {
    text = name + " is damaged: " + (parts.empty() ? "its last events are not valid" : parts.front());
    if (!parts.empty()) parts.erase(parts.begin());
  }
  for (const std::string& part : parts) text += "; " + part;
  return text + ". What can be read is used";
}

Result<StreamReader> StreamReader::open(const std::string& path, const ExpectedStream& expected) {
  StreamReader reader;
  // Of a FIFO without a writer the open would wait for ever.
  reader.file_ = base::FileDescriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!reader.file_.is_open()) return Error{"cannot open", path, 0, errno};
  struct stat status {};
  if (::fstat(reader.file_.get(), &status) != 0) return Error{"cannot read", path, 0, errno};
  if (!S_ISREG(status.st_mode)) return Error{"is no file", path};
  reader.size_ = static_cast<std::uint64_t>(status.st_size);
  reader.expected_ = expected;
  return reader;
}

StreamReader StreamReader::from_memory(const std::uint8_t* bytes, std::size_t size, const ExpectedStream& expected) {
  StreamReader reader;
  reader.memory_ = bytes;
  reader.size_ = size;
  reader.expected_ = expected;
  return reader;
}

void StreamReader::rewind() noexcept {
  StreamReader again;
  again.file_ = std::move(file_);
  again.memory_ = memory_;
  again.size_ = size_;
  again.expected_ = expected_;
  *this = std::move(again);
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

bool StreamReader::read_head(std::uint64_t offset, PacketHead& head) noexcept {
  head = {};
  if (!read_at(offset, &head, trace::kHeadBytesWithoutChecksum)) return false;
  if (!has_checksum(head)) return true;
  return read_at(offset + offsetof(PacketHead, checksum), &head.checksum, sizeof head.checksum);
}

bool StreamReader::plausible(const PacketHead& head) const noexcept {
  return head.magic == trace::kPacketMagic && trace::is_readable_version(head.format_version) &&
         (expected_.format_version == 0 || head.format_version == expected_.format_version) &&
         head.packet_bits >= head_bytes(head) * 8 && head.packet_bits % 64 == 0 &&
         head.packet_bits <= kMaxPacketBytes * 8 && head.content_bits >= head_bytes(head) * 8 &&
         head.content_bits <= head.packet_bits && head.content_bits % 32 == 0;
}

bool StreamReader::is_ours(const PacketHead& head) const noexcept {
  return expected_.uuid == trace::TraceId{} || head.uuid == expected_.uuid;
}

bool StreamReader::is_foreign() noexcept {
  PacketHead head;
  std::uint64_t offset = 0;
  return read_head(0, head) && plausible(head) && !is_ours(head) && !find_packet(offset);
}

std::optional<std::uint32_t> StreamReader::other_number() noexcept {
  std::optional<std::uint32_t> first;
  for (std::uint64_t offset = 0; find_packet(offset);) {
    PacketHead head;
    if (!read_head(offset, head) || head.stream == expected_.number) return std::nullopt;
    if (!first) first = head.stream;
    offset += head.packet_bits / 8;
  }
  return first;
}

bool StreamReader::contradicts_range() noexcept {
  PacketHead head;
  if (!read_head(0, head) || !plausible(head) || !is_ours(head) || head.checksum == 0) return false;
  if (head.timestamp_begin >= expected_.earliest && head.timestamp_begin <= expected_.latest) return false;
  buffer_.resize(head.content_bits / 32);
  if (!read_at(0, buffer_.data(), head.content_bits / 8)) return false;
  std::memset(buffer_.data() + offsetof(PacketHead, checksum) / 4, 0, sizeof head.checksum);
  return trace::checksum_of(buffer_.data(), head.content_bits / 8) == head.checksum;
}

bool StreamReader::find_packet(std::uint64_t& offset) noexcept {
  std::array<std::uint32_t, 4096> window{};
  for (std::uint64_t at = offset; at + trace::kHeadBytesWithoutChecksum <= size_;) {
    const std::size_t bytes = std::min<std::uint64_t>(sizeof window, size_ - at);
    if (!read_at(at, window.data(), bytes)) return false;
    for (std::size_t word = 0; word < bytes / 4; word += kPacketAlignment / 4) {
      if (window[word] != trace::kPacketMagic) continue;
      PacketHead head;
      if (read_head(at + word * 4, head) && plausible(head) && is_ours(head)) {
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

void StreamReader::skip_to_next_packet(std::uint64_t from, bool counts_bytes) noexcept {
  const std::uint64_t before = offset_;
  offset_ = from;
  if (!find_packet(offset_)) {
    offset_ = size_;
    if (is_empty_from(before)) counts_bytes = false;
  }
  if (counts_bytes) damage_.skipped_bytes += offset_ - before;
}

bool StreamReader::head_at(std::uint64_t offset, PacketHead& head) noexcept {
  return read_head(offset, head) && plausible(head) && is_ours(head);
}

// What its own bytes vouch for is right; then the rest of what is known must not contradict it.
bool StreamReader::accept(const PacketHead& head, bool whole) noexcept {
  PacketHead next;
  bool matches = true;
  if (has_checksum(head) && head.checksum == 0) {
    // A recorder finishes a packet before it begins the next one.
    matches = !head_at(offset_ + head.packet_bits / 8, next);
  } else if (has_checksum(head) && whole) {
    std::memset(buffer_.data() + offsetof(PacketHead, checksum) / 4, 0, sizeof head.checksum);
    matches = trace::checksum_of(buffer_.data(), buffer_.size() * 4) == head.checksum;
  }
  if (!matches) {
    if (damage_.damaged_packets++ == 0) damage_.first_damaged = next_sequence_;
    if (head.sequence == next_sequence_) ++next_sequence_;
    // Its size may be what is wrong.
    skip_to_next_packet(offset_ + kPacketAlignment, false);
    return false;
  }
  const bool is_misplaced = expected_.number != ExpectedStream::kAnyNumber && head.stream != expected_.number;
  const bool is_repeated = head.sequence < next_sequence_;
  damage_.misplaced_packets += is_misplaced ? 1 : 0;
  damage_.repeated_packets += is_repeated && !is_misplaced ? 1 : 0;
  latest_ = ~std::uint64_t{0} >> 1;
  const bool is_verified = has_checksum(head) && head.checksum != 0 && whole;
  if (!is_misplaced && !is_repeated && (is_verified || accept_unverified(head))) return true;
  offset_ += std::min(size_ - offset_, head.packet_bits / 8);
  return false;
}

// Time runs on through a stream's packets and stays within the run, and their numbers ascend. Of two neighbours
// that disagree on the time, both fitting what was before them, the first is not used: which one is wrong is unknown.
bool StreamReader::accept_unverified(const PacketHead& head) noexcept {
  latest_ = expected_.latest;
  PacketHead next;
  const bool has_next = head_at(offset_ + head.packet_bits / 8, next);
  bool is_in_time = head.timestamp_begin >= expected_.earliest && head.timestamp_begin <= expected_.latest &&
                    head.timestamp_begin + kMostTicksBack >= ticks_;
  if (has_next && next.timestamp_begin >= std::max(ticks_, expected_.earliest) &&
      next.timestamp_begin <= expected_.latest) {
    latest_ = next.timestamp_begin + kMostTicksBack;
    if (head.timestamp_begin > latest_) is_in_time = false;
  }
  if (!is_in_time) {
    ++damage_.mistimed_packets;
    if (head.sequence == next_sequence_) ++next_sequence_;
    return false;
  }
  if (head.sequence != next_sequence_ && has_next && next.sequence == next_sequence_ + 1) {
    if (damage_.damaged_packets++ == 0) damage_.first_damaged = next_sequence_;
    ++next_sequence_;
    return false;
  }
  return true;
}

bool StreamReader::next_packet_slow() noexcept {
  at_ = end_ = nullptr;
  while (offset_ < size_) {
    PacketHead head;
    if (!read_head(offset_, head)) {
      damage_.cut = true;
      offset_ = size_;
      return false;
    }
    if (!plausible(head) || !is_ours(head)) {
      skip_to_next_packet(offset_, true);
      continue;
    }
    const std::uint64_t available = size_ - offset_;
    const std::uint64_t content = std::min(head.content_bits / 8, available / 4 * 4);
    const bool is_cut = available < head.packet_bits / 8;
    buffer_.resize(content / 4);
    if (!read_at(offset_, buffer_.data(), content)) {
      damage_.cut = true;
      offset_ = size_;
      return false;
    }
    if (!accept(head, content == head.content_bits / 8)) continue;
    if (is_cut) damage_.cut = true;
    offset_ += std::min(available, head.packet_bits / 8);
    if (head.sequence > next_sequence_)
      damage_.lost_packets += std::min<std::uint64_t>(head.sequence - next_sequence_, 1U << 20);
    next_sequence_ = head.sequence + 1;
    discarded_ = std::max(discarded_, head.events_discarded);
    head_ = head;
    ++packets_;
    ticks_ = head.timestamp_begin;
    at_ = buffer_.data() + head_bytes(head) / 4;
    end_ = buffer_.data() + buffer_.size();
    if (at_ < end_) return true;
  }
  return false;
}

void StreamReader::leave_broken_packet() noexcept {
  ++damage_.broken_packets;
  damage_.skipped_bytes += static_cast<std::uint64_t>(end_ - at_) * 4;
  if (ticks_ > latest_) {
    ++damage_.mistimed_packets;
    ticks_ = head_.timestamp_begin;
  }
  at_ = end_;
}

}  // namespace foretask::trace
