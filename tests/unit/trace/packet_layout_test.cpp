// SPDX-License-Identifier: Apache-2.0
// The metadata that other readers go by says what the recorder really writes.
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "catch.hpp"
#include "trace/ctf_metadata.hpp"
#include "trace/event_table.hpp"
#include "trace/packet.hpp"

namespace trace = foretask::trace;

namespace {

struct Field {
  std::string type;
  std::string name;
};

std::string metadata() {
  foretask::trace::MetadataValues values;
  values.run_file_bytes = 16384;
  return foretask::trace::ctf_metadata(values);
}

// What stands between the braces that follow `opening`.
std::string block_after(const std::string& text, const std::string& opening, std::size_t from = 0) {
  const std::size_t at = text.find(opening, from);
  REQUIRE(at != std::string::npos);
  std::size_t begin = text.find('{', at) + 1;
  std::size_t end = begin;
  for (int depth = 1; depth != 0; ++end) depth += text[end] == '{' ? 1 : text[end] == '}' ? -1 : 0;
  return text.substr(begin, end - 1 - begin);
}

// The number behind "name = ".
unsigned number_after(const std::string& text, const std::string& name) {
  const std::size_t at = text.find(name + " = ");
  REQUIRE(at != std::string::npos);
  return static_cast<unsigned>(std::stoul(text.substr(at + name.size() + 3)));
}

// "typealias integer { size = 32; align = 32; ... } := name;"
std::map<std::string, std::pair<unsigned, unsigned>> integer_sizes(const std::string& text) {
  std::map<std::string, std::pair<unsigned, unsigned>> sizes;
  // CTF's only other number: IEEE 754's double, in 64 bits.
  CHECK(
      text.find("typealias floating_point { exp_dig = 11; mant_dig = 53; byte_order = le; align = 32; } := float64;") !=
      std::string::npos);
  sizes["float64"] = {64, 32};
  const std::string alias = "typealias integer ";
  for (std::size_t at = text.find(alias); at != std::string::npos; at = text.find(alias, at + 1)) {
    const std::string line = text.substr(at, text.find('\n', at) - at);
    const std::size_t name = line.find(":= ") + 3;
    sizes[line.substr(name, line.size() - name - 1)] = {number_after(line, "size"), number_after(line, "align")};
  }
  return sizes;
}

// "type name; type name;"
std::vector<Field> fields_of(const std::string& block) {
  std::vector<Field> fields;
  std::istringstream words(block);
  for (Field field; words >> field.type >> field.name; fields.push_back(field)) field.name.pop_back();
  return fields;
}

using Row = std::pair<std::string, std::string>;  // an event's name, its words

// "uint32 count; struct { hex64 address; uint32 kind; } list[count];" are "1 + 3 each" words.
std::string words_of(const std::string& fields, const std::map<std::string, std::pair<unsigned, unsigned>>& sizes) {
  unsigned head = 0;
  unsigned item = 0;
  std::istringstream words(fields);
  std::string type;
  bool in_item = false;
  for (std::string word; words >> word; type = word) {
    in_item = in_item || word == "{";
    if (const auto size = sizes.find(type); size != sizes.end())
      (in_item || word.find('[') != std::string::npos ? item : head) += size->second.first / 32;
  }
  return std::to_string(head) + (item == 0 ? "" : " + " + std::to_string(item) + " each");
}

// The rows below "| kind | name | fields | words |" in the format's description.
std::map<std::uint32_t, Row> documented() {
  std::map<std::uint32_t, Row> rows;
  std::ifstream file(FORETASK_TESTS_DIR "/../docs/trace_format.md");
  std::string line;
  while (std::getline(file, line) && line != "| kind | name | fields | words |") {
  }
  std::getline(file, line);  // what separates the head from the rows
  while (std::getline(file, line) && line.rfind("| ", 0) == 0) {
    const std::size_t name = line.find(" | ") + 3;
    const std::size_t words = line.rfind(" | ") + 3;
    rows[static_cast<std::uint32_t>(std::stoul(line.substr(2)))] = {line.substr(name, line.find(" |", name) - name),
                                                                    line.substr(words, line.size() - 2 - words)};
  }
  return rows;
}

}  // namespace

TEST_CASE("the metadata's packet context is laid out as the recorder's head") {
  const std::string text = metadata();
  const auto sizes = integer_sizes(text);
  // The packet header comes before the context: one word, the stream's class.
  std::map<std::string, std::size_t> offset_bits;
  std::size_t at = 32;
  for (const Field& field : fields_of(block_after(text, "packet.context := struct"))) {
    const auto [size, align] = sizes.at(field.type);
    at = (at + align - 1) / align * align;
    offset_bits[field.name] = at;
    at += size;
  }
  CHECK(at == sizeof(trace::PacketHead) * 8);
  CHECK(offset_bits.at("trace_id_low") == offsetof(trace::PacketHead, uuid) * 8);
  CHECK(offset_bits.at("format_version") == offsetof(trace::PacketHead, format_version) * 8);
  CHECK(offset_bits.at("timestamp_begin") == offsetof(trace::PacketHead, timestamp_begin) * 8);
  CHECK(offset_bits.at("content_size") == offsetof(trace::PacketHead, content_bits) * 8);
  CHECK(offset_bits.at("packet_size") == offsetof(trace::PacketHead, packet_bits) * 8);
  CHECK(offset_bits.at("events_dropped") == offsetof(trace::PacketHead, events_discarded) * 8);
  CHECK(offset_bits.at("packet_number") == offsetof(trace::PacketHead, sequence) * 8);
  CHECK(offset_bits.at("worker") == offsetof(trace::PacketHead, stream) * 8);
  CHECK(offset_bits.at("first_task") == offsetof(trace::PacketHead, first_task) * 8);
  CHECK(offset_bits.at("first_region") == offsetof(trace::PacketHead, first_region) * 8);
  CHECK(offset_bits.at("checksum") == offsetof(trace::PacketHead, checksum) * 8);
  CHECK(offset_bits.at("code_high") == offsetof(trace::PacketHead, code_high) * 8);
}

TEST_CASE("the metadata gives each event the name and the words that docs/trace_format.md has") {
  const std::string text = metadata();
  const auto sizes = integer_sizes(text);
  std::map<std::uint32_t, Row> described;
  for (std::size_t at = text.find("\nevent {"); at != std::string::npos; at = text.find("\nevent {", at + 1)) {
    const std::string event = block_after(text, "event", at);
    const std::size_t name = event.find('"') + 1;
    CHECK(event.find("stream_id = 0xC1FC1FC1;") != std::string::npos);
    CHECK(described
              .emplace(number_after(event, "id"), Row{event.substr(name, event.find('"', name) - name),
                                                      words_of(block_after(event, "fields := struct"), sizes)})
              .second);
  }
  CHECK(described == documented());
  // Every kind that a hook can write: 1 to 30, and from 32 on.
  CHECK(described.size() == FORETASK_EVENT_KINDS - 2);
  CHECK(described.rbegin()->first == FORETASK_EVENT_KINDS - 1);
}

TEST_CASE("the reader takes as many words for an event as docs/trace_format.md has") {
  for (const auto& [kind, row] : documented()) {
    CAPTURE(kind);
    const trace::PayloadShape shape = trace::kPayloadShapes.at(kind);
    CHECK(shape.is_event);
    std::string words = std::to_string(shape.head_words);
    if (shape.most_items != 0) words += " + " + std::to_string(shape.item_words) + " each";
    CHECK(words == row.second);
  }
}

TEST_CASE("an event's first word is 5 bits of kind and 27 of the stamp") {
  CHECK(FORETASK_EVENT_EXTENDED == 31);
  CHECK(FORETASK_COMPACT_TICKS == 134'217'728);
  const std::string header = block_after(metadata(), "struct event_header");
  CHECK(header.find("integer { size = 5; align = 1;") != std::string::npos);
  CHECK(header.find("compact = 0 ... 30, extended = 31") != std::string::npos);
  CHECK(metadata().find("integer { size = 27; align = 1; signed = false; map = clock.ticks.value; }") !=
        std::string::npos);
}
