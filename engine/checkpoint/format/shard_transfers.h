#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace trainyard {

/// Bytes of a shard that go from one host's folder to another's.
struct ShardTransfer {
    int from = 0; ///< number of the host's folder
    int to = 0;
    std::string file;
    std::uint64_t offset = 0; ///< in the file, on both sides
    std::uint64_t bytes = 0;

    bool operator==(const ShardTransfer&) const = default;
};

/// Bytes of a shard that ranks of host `store` need and that its folder lacks.
struct ShardWant {
    int store = 0;
    std::string file;
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;

    auto operator<=>(const ShardWant&) const = default;
};

/// The copies of a new checkpoint: whole files, from each host to the `copies` hosts after it. By shard: the
/// host that wrote it, and its size.
struct WrittenShard {
    int store = 0;
    std::string file;
    std::uint64_t bytes = 0;
};
std::vector<ShardTransfer> copiesOf(const std::vector<WrittenShard>& shards, int stores, int copies);

/// Each want once, from the host that has the shard and has been given the fewest bytes to send. BadInput
/// when none has it. `holders`: hosts by file.
Result<std::vector<ShardTransfer>> transfersFor(std::vector<ShardWant> wants,
                                                const std::map<std::string, std::vector<int>>& holders);

/// For other ranks of the same program.
std::string toText(const std::vector<ShardWant>& wants);
std::vector<ShardWant> wantsFromText(const std::string& text);
std::string toText(const std::vector<ShardTransfer>& transfers);
std::vector<ShardTransfer> transfersFromText(const std::string& text);

} // namespace trainyard
