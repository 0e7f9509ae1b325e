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

/// A slice in one host's folder that cannot be used.
struct LostSlice {
    int store = 0;
    std::string file;
    std::uint64_t offset = 0;
    bool isUnreadable = false; ///< now; otherwise its content is wrong
    std::string reason{};

    bool isOf(int ofStore, const std::string& ofFile, std::uint64_t atOffset) const
    {
        return store == ofStore && file == ofFile && offset == atOffset;
    }
    auto operator<=>(const LostSlice&) const = default;
};

/// Each want once, from the host that has the shard, has not lost the slice, and has been given the fewest
/// bytes to send. `holders`: hosts by file. Where none has it: BadInput, or Failed when one that has it
/// cannot read it now.
Result<std::vector<ShardTransfer>> transfersFor(std::vector<ShardWant> wants,
                                                const std::map<std::string, std::vector<int>>& holders,
                                                const std::vector<LostSlice>& lost = {});

/// For other ranks of the same program.
std::string toText(const std::vector<ShardWant>& wants);
std::vector<ShardWant> wantsFromText(const std::string& text);
std::string toText(const std::vector<LostSlice>& lost);
std::vector<LostSlice> lostFromText(const std::string& text);
std::string toText(const std::vector<ShardTransfer>& transfers);
std::vector<ShardTransfer> transfersFromText(const std::string& text);

} // namespace trainyard
