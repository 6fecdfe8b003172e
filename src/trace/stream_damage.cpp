// SPDX-License-Identifier: Apache-2.0
#include "trace/stream_damage.hpp"

#include <vector>

namespace foretask::trace {
namespace {

std::string counted(std::uint64_t count, const char* one, const char* several) {
  return std::to_string(count) + " " + (count == 1 ? one : several);
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

}  // namespace foretask::trace
