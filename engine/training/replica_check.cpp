#include "engine/training/replica_check.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <string>

#include "engine/base/hash.h"
#include "engine/comm/process_groups.h"
#include "engine/nn/parameters/parameter_store.h"
#include "engine/nn/tensor_memory.h"
#include "engine/training/replica.h"

namespace trainyard {

namespace {

constexpr std::int64_t kCheckEvery = 100; // steps; a check reads the weights once

void add(Xxh3& hash, const at::Tensor& values)
{
    const at::Tensor onHost = values.cpu().contiguous();
    const std::span<const std::byte> bytes = memoryOf(onHost);
    hash.update({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

std::string hashOfMasters(const Replica& replica, bool ofExperts)
{
    Xxh3 hash;
    for (const auto& chunk : replica.chunks()) {
        const ParameterStore& store = chunk->parameters();
        for (const OwnedTensor& owned : store.owned()) {
            const std::size_t bucket = store.layout().bucketOf()[owned.piece.parameter];
            if (store.layout().buckets()[bucket].isOfExperts == ofExperts)
                add(hash, owned.master);
        }
    }
    return hash.hexDigest();
}

std::string hashOfWorkingWeights(const Replica& replica, bool ofExperts)
{
    Xxh3 hash;
    for (const auto& chunk : replica.chunks()) {
        ParameterStore& store = chunk->parameters();
        for (const Bucket& bucket : store.layout().buckets()) {
            if (bucket.isOfExperts == ofExperts)
                add(hash, store.weights().whole().narrow(0, bucket.begin, bucket.size()));
        }
    }
    return hash.hexDigest();
}

/// Whether fewer than half of the group have this rank's text.
bool isOdd(ProcessGroup& group, const std::string& text)
{
    const auto ranks = static_cast<std::size_t>(group.size().value);
    std::vector<std::byte> all(ranks * text.size());
    std::memcpy(all.data() + static_cast<std::size_t>(group.rank().value) * text.size(), text.data(),
                text.size());
    group.allGather(all);
    std::size_t same = 0;
    for (std::size_t rank = 0; rank < ranks; ++rank)
        same += std::memcmp(all.data() + rank * text.size(), text.data(), text.size()) == 0 ? 1 : 0;
    return same < ranks && 2 * same <= ranks;
}

/// Of the parameters that all ranks of `all` hold, of which `shards` share a copy.
bool hasDrifted(ProcessGroup& all, const ShardGroups& shards, const Replica& replica, bool ofExperts)
{
    const HolderGroup& holders = replica.holders().of(ofExperts);
    bool drifted = false;
    if (holders.sumsOverCopies() || holders.ownerShare().ranks == 1)
        drifted = isOdd(holders.sumsOverCopies() ? *shards.copies : all, hashOfMasters(replica, ofExperts));
    const bool whole = replica.chunks().front()->parameters().weights().whole().defined();
    if (whole && holders.ownerShare().ranks > 1)
        drifted = isOdd(all, hashOfWorkingWeights(replica, ofExperts)) || drifted;
    return drifted;
}

} // namespace

bool isReplicaCheckDue(Step step)
{
    return step.value == 1 || step.value % kCheckEvery == 0;
}

std::vector<int> driftedRanks(const ProcessGroups& groups, const Replica& replica)
{
    bool drifted = hasDrifted(*groups.data, groups.shards, replica, false);
    if (groups.expertCopies)
        drifted = hasDrifted(*groups.expertCopies, groups.expertShards, replica, true) || drifted;
    std::vector<double> flags(static_cast<std::size_t>(groups.world->size().value));
    flags[static_cast<std::size_t>(groups.world->rank().value)] = drifted ? 1 : 0;
    groups.world->allReduce(std::span<double>(flags));
    std::vector<int> ranks;
    for (std::size_t rank = 0; rank < flags.size(); ++rank) {
        if (flags[rank] > 0)
            ranks.push_back(static_cast<int>(rank));
    }
    return ranks;
}

} // namespace trainyard
