#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace trainyard {

/// In a rank's flat buffers every block starts at a multiple of this many elements: one cache line of
/// bfloat16.
constexpr std::int64_t kFlatAlignment = 32;

/// A tensor of a rank, or several that are multiplied as one matrix and lie directly behind each other.
struct FlatBlock {
    std::int64_t elements = 0;
    int part = 0;          ///< of the model: -1 embeddings, then the layers, then the head
    bool isFrozen = false; ///< training does not change it
    bool isOfExperts = false;
    /// Another pipeline stage has it too: it is a bucket alone, so that the owners of both have the same part.
    bool isTied = false;
};

struct FlatSharing {
    int owners = 1; ///< ranks that each own an equal part of every bucket
    /// The same of buckets of experts, where fewer ranks hold the same ones; 0: they are like all others.
    int expertOwners = 0;
    std::int64_t bucketElements = 0; ///< least size of a bucket; 0 = one bucket for everything
    bool bucketPerPart = false;      ///< instead: each part of the model is a bucket
};

/// A contiguous range of the flat buffers. Its size is a multiple of kFlatAlignment * owners.
struct FlatBucket {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::vector<std::size_t> blocks; ///< inside, front first; either all of them are frozen or none is
    int owners = 1;
    /// All blocks are of experts that ranks share: those with the same ones own and reduce them, not all
    /// data-parallel ranks.
    bool isOfExperts = false;

    std::int64_t size() const { return end - begin; }
    std::int64_t share() const { return size() / owners; } ///< of each owner
};

/// Where the blocks of a rank lie in its flat buffers, in elements.
struct FlatPlacement {
    std::int64_t count = 0;            ///< of all elements, gaps included
    std::vector<std::int64_t> offsets; ///< by block
    std::vector<FlatBucket> buckets;   ///< front first
    std::int64_t trainedCount = 0; ///< elements of the buckets of trained blocks, which are the first ones
    std::size_t trainedBuckets = 0;

    std::int64_t ownedCount() const { return shareOf(buckets.size()); } ///< of all elements one owner's
    std::int64_t trainedOwnedCount() const { return shareOf(trainedBuckets); }
    /// One owner's of the first `count` buckets.
    std::int64_t shareOf(std::size_t count) const;
};

/// Places blocks, given in order of registration, in the reverse order: the backward pass finishes gradients
/// so, and buckets fill from the front. Frozen blocks come behind all others.
FlatPlacement placeFlat(const std::vector<FlatBlock>& blocks, const FlatSharing& sharing);

/// Elements of the trained blocks, without gaps, that each owner has: of the buckets of experts, or of all
/// others, which `owners` ranks share.
std::vector<std::int64_t> elementsByOwner(const std::vector<FlatBlock>& blocks,
                                          const FlatPlacement& placement, int owners, bool ofExperts = false);

} // namespace trainyard
