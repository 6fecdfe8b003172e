// SPDX-License-Identifier: Apache-2.0
#include "graph/ranks/message_match.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "foretask/hook.h"

namespace foretask::graph {
namespace {

using analysis::kNoNode;

// What sends and receives are matched by.
struct Channel {
  std::uint32_t source;
  std::uint32_t destination;
  std::uint32_t tag;
  std::uint64_t communicator;

  auto operator<=>(const Channel&) const = default;
};

struct Ends {
  std::vector<const Message*> sent;      // in the order in which they were sent
  std::vector<const Message*> received;  // in the order of posting
};

std::string rank_text(std::uint32_t rank) { return "rank " + std::to_string(rank); }

using CallName = std::pair<std::uint64_t, std::uint32_t>;  // communicator, number

struct Part {
  std::uint32_t rank;
  const CollectivePart* part;
};

class Matcher {
 public:
  explicit Matcher(const std::vector<RankGraph>& ranks) : ranks_(ranks) {
    for (const RankGraph& rank : ranks) cut_short_ += rank.is_whole ? 0 : 1;
  }

  Result<MatchedMessages> match() {
    if (Result<void> done = match_messages(); !done) return done.error();
    if (Result<void> done = match_collectives(); !done) return done.error();
    return std::move(out_);
  }

 private:
  Result<void> match_messages() {
    std::map<Channel, Ends> channels;
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
      for (const Message& message : ranks_[rank].messages->sent)
        channels[{rank, message.peer, message.tag, message.communicator}].sent.push_back(&message);
      for (const Message& message : ranks_[rank].messages->received)
        channels[{message.peer, rank, message.tag, message.communicator}].received.push_back(&message);
    }
    for (auto& [channel, ends] : channels) {
      const std::size_t pairs = std::min(ends.sent.size(), ends.received.size());
      if (ends.received.size() > pairs && ranks_[channel.source].is_whole)
        return Error{rank_text(channel.destination) + " received " + std::to_string(ends.received.size()) +
                     " messages with tag " + std::to_string(static_cast<std::int32_t>(channel.tag)) + " from " +
                     rank_text(channel.source) + ", which sent " + std::to_string(ends.sent.size()) +
                     ": the recordings are not of one run, or are incomplete"};
      std::stable_sort(ends.received.begin(), ends.received.end(),
                       [](const Message* a, const Message* b) { return a->posted < b->posted; });
      for (std::size_t i = 0; i < pairs; ++i)
        add_edge({channel.source, ends.sent[i]->strand}, {channel.destination, ends.received[i]->strand},
                 ends.received[i]->bytes);
      out_.messages += pairs;
      for (std::size_t i = 0; i < pairs; ++i) out_.message_bytes += ends.received[i]->bytes;
      out_.unmatched_sends += ends.sent.size() - pairs;
      out_.unmatched_receives += ends.received.size() - pairs;
    }
    return {};
  }

  Result<void> match_collectives() {
    std::map<CallName, std::vector<Part>> calls;
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank)
      for (const CollectivePart& part : ranks_[rank].messages->collectives)
        calls[{part.communicator, part.number}].push_back({rank, &part});
    for (auto& [name, parts] : calls) {
      const CollectivePart& first = *parts.front().part;
      for (const Part& one : parts)
        if (one.part->kind != first.kind || one.part->size != first.size ||
            (is_rooted(first.kind) && one.part->root != first.root))
          return Error{rank_text(parts.front().rank) + " and " + rank_text(one.rank) + " disagree on collective call " +
                       std::to_string(name.second) + " of a communicator: the recordings are not of one run"};
      if (parts.size() > first.size || first.size - parts.size() > cut_short_besides(parts))
        return Error{"collective call " + std::to_string(name.second) + " of a communicator of " +
                     std::to_string(first.size) + " ranks was made by " + std::to_string(parts.size()) +
                     ", the first of them " + rank_text(parts.front().rank) + ": a recording is incomplete"};
      if (parts.size() != first.size) ++out_.partial_collectives;
      std::sort(parts.begin(), parts.end(),
                [](const Part& a, const Part& b) { return a.part->own_rank < b.part->own_rank; });
      connect(parts);
      ++out_.collectives;
    }
    return {};
  }

  // How many of the ranks that made none of `parts` may have come to that call unseen.
  [[nodiscard]] std::size_t cut_short_besides(const std::vector<Part>& parts) const {
    std::size_t count = cut_short_;
    for (const Part& one : parts) count -= ranks_[one.rank].is_whole ? 0 : 1;
    return count;
  }

  static bool is_rooted(std::uint32_t kind) {
    return kind == FORETASK_COLLECTIVE_FROM_ROOT || kind == FORETASK_COLLECTIVE_TO_ROOT;
  }

  void connect(const std::vector<Part>& parts) {
    switch (parts.front().part->kind) {
      case FORETASK_COLLECTIVE_FROM_ROOT:
        for (const Part& root : parts)
          if (root.part->own_rank == root.part->root)
            for (const Part& one : parts)
              if (&one != &root) add_edge(enter(root), leave(one), one.part->bytes);
        return;
      case FORETASK_COLLECTIVE_TO_ROOT:
        for (const Part& root : parts)
          if (root.part->own_rank == root.part->root)
            for (const Part& one : parts)
              if (&one != &root) add_edge(enter(one), leave(root), one.part->bytes);
        return;
      case FORETASK_COLLECTIVE_PREFIX:
        for (std::size_t i = 1; i < parts.size(); ++i) {
          // What has come so far goes on from one to the next, whether that one has left or not.
          const RankNode join = new_join(parts[i].rank);
          add_edge(i == 1 ? enter(parts[0]) : RankNode{kJoinRank, join.node - 1}, join, parts[i].part->bytes);
          add_edge(enter(parts[i]), join, 0);
          add_edge(join, leave(parts[i]), 0);
        }
        return;
      default: {
        if (parts.size() < 2) return;
        const RankNode join = new_join(parts.front().rank);
        for (const Part& one : parts) add_edge(enter(one), join, one.part->bytes);
        for (const Part& one : parts) add_edge(join, leave(one), one.part->bytes);
      }
    }
  }

  static RankNode enter(const Part& part) { return {part.rank, part.part->enter}; }
  static RankNode leave(const Part& part) { return {part.rank, part.part->leave}; }

  RankNode new_join(std::uint32_t rank) {
    out_.joins.push_back(rank);
    return {kJoinRank, static_cast<analysis::NodeIndex>(out_.joins.size() - 1)};
  }

  // A rank that was killed has calls that it never came back from.
  void add_edge(RankNode from, RankNode to, std::uint64_t bytes) {
    if (from.node != kNoNode && to.node != kNoNode) out_.edges.push_back({from, to, bytes});
  }

  const std::vector<RankGraph>& ranks_;
  std::size_t cut_short_ = 0;  // ranks that are not whole
  MatchedMessages out_;
};

}  // namespace

Result<MatchedMessages> match_messages(const std::vector<RankGraph>& ranks) { return Matcher(ranks).match(); }

}  // namespace foretask::graph
