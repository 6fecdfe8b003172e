// SPDX-License-Identifier: Apache-2.0
// A stream's bytes written from docs/trace_format.md alone, with chosen time stamps: a second opinion on the format,
// and input for tests that need exact times.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <vector>

namespace foretask::test {

class StreamBytes {
 public:
  static constexpr std::size_t kHeadWords = 20;  // of version 1

  // Of format version 1, whose packets have no checksum, or 2.
  explicit StreamBytes(std::uint32_t stream = 0, std::uint64_t begin_ticks = 0, std::uint32_t version = 1)
      : stream_(stream), version_(version), last_(begin_ticks) {
    new_packet();
  }

  // An event of `kind` at `ticks`; the long header where the gap or the kind asks for it, or when it is forced.
  void event(std::uint64_t ticks, std::uint32_t kind, const std::vector<std::uint32_t>& payload = {},
             bool force_extended = false) {
    if (ticks - last_ >= (std::uint64_t{1} << 27) || force_extended || kind > 31) {
      append({31U, kind, static_cast<std::uint32_t>(ticks), static_cast<std::uint32_t>(ticks >> 32)});
    } else {
      append({kind | static_cast<std::uint32_t>(ticks << 5)});
    }
    words_.insert(words_.end(), payload.begin(), payload.end());
    last_ = ticks;
    if (kind == 1 || kind == 2 || kind == 18) ++next_task_;
    if (kind == 16) ++next_region_;
    if (kind == 24) code_high_ = payload.at(0);
  }

  // What follows goes into another packet.
  void new_packet() {
    if (head_ != kNoHead) end_packet();
    head_ = words_.size();
    words_.resize(head_ + head_words());
    words_[head_] = 0xC1FC1FC1U;
    for (std::uint32_t i = 0; i < 4; ++i) words_[head_ + 1 + i] = 0x01020304U * (i + 1);  // the trace's identity
    words_[head_ + 5] = version_;
    set64(6, last_);
    set64(12, discarded);
    set64(14, sequence++);
    words_[head_ + 16] = stream_;
    words_[head_ + 17] = next_task_;
    words_[head_ + 18] = next_region_;
    words_[head_ + 19] = code_high_;
  }

  // The stream so far, its last packet trimmed to what is in it.
  [[nodiscard]] std::vector<std::uint8_t> bytes() const {
    StreamBytes closed = *this;
    closed.end_packet(has_end);
    std::vector<std::uint8_t> result(closed.words_.size() * 4);
    std::memcpy(result.data(), closed.words_.data(), result.size());
    return result;
  }

  // Bytes so far: where the next event or packet begins.
  [[nodiscard]] std::size_t size_bytes() const noexcept { return words_.size() * 4; }
  [[nodiscard]] std::size_t head_words() const noexcept { return version_ == 1 ? kHeadWords : kHeadWords + 2; }
  [[nodiscard]] std::uint32_t next_task() const noexcept { return next_task_; }
  [[nodiscard]] std::uint32_t next_region() const noexcept { return next_region_; }
  // Free space that a packet that is not trimmed ends with.
  std::size_t free_words = 0;
  std::uint64_t sequence = 0;   // of the next packet
  std::uint64_t discarded = 0;  // from the next packet on
  bool has_end = true;          // else the last packet has no checksum: its process was killed

  // docs/trace_format.md, "The checksum".
  [[nodiscard]] static std::uint64_t checksum(const std::uint8_t* bytes, std::size_t size) {
    std::vector<std::uint64_t> words((size + 7) / 8);
    if (size != 0) std::memcpy(words.data(), bytes, size);
    constexpr std::uint64_t kFactor = 11400714819323198485ULL;
    const auto step = [](std::uint64_t state, std::uint64_t word) {
      state ^= word;
      return (state << 29 | state >> 35) * kFactor;
    };
    std::array<std::uint64_t, 8> lanes{};
    for (std::uint64_t i = 0; i < 8; ++i) lanes[i] = (i + 1) * kFactor;
    for (std::size_t i = 0; i < words.size(); ++i) lanes[i % 8] = step(lanes[i % 8], words[i]);
    std::uint64_t sum = size;
    for (const std::uint64_t lane : lanes) sum = step(sum, lane);
    sum ^= sum >> 32;
    return sum == 0 ? 1 : sum;
  }

 private:
  static constexpr std::size_t kNoHead = ~std::size_t{0};

  void append(std::initializer_list<std::uint32_t> words) { words_.insert(words_.end(), words); }
  void set64(std::size_t word, std::uint64_t value) {
    words_[head_ + word] = static_cast<std::uint32_t>(value);
    words_[head_ + word + 1] = static_cast<std::uint32_t>(value >> 32);
  }
  void end_packet(bool is_finished = true) {
    const std::size_t content_words = words_.size() - head_;
    set64(8, content_words * 32);
    words_.resize(words_.size() + free_words);
    if ((words_.size() - head_) % 2 != 0) words_.push_back(0);
    set64(10, (words_.size() - head_) * 32);
    if (version_ == 1 || !is_finished) return;
    set64(20, checksum(reinterpret_cast<const std::uint8_t*>(words_.data() + head_), content_words * 4));
  }

  std::vector<std::uint32_t> words_;
  std::size_t head_ = kNoHead;
  std::uint32_t stream_;
  std::uint32_t version_;
  std::uint64_t last_;
  std::uint32_t next_task_ = 0;
  std::uint32_t next_region_ = 0;
  std::uint32_t code_high_ = 0;
};

}  // namespace foretask::test
