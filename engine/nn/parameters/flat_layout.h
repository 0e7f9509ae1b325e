#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/base/units.h"
#include "engine/model/parameter_spec.h"
#include "engine/nn/parameters/slice_geometry.h"
#include "engine/planner/layout/flat_placement.h"

namespace trainyard {

/// Which part of a model a rank holds, and which part of that it owns.
struct Sharding {
    Share tensor{}; ///< of every parameter that has a TensorSplit
    Share expert{}; ///< of the experts
    /// Ranks that hold the same slices and share the duty of updating them (ZeRO): each owns an equal part of
    /// every bucket. One of one: this rank owns all that it holds.
    Share owner{};
    Share expertOwner{};             ///< the same of experts; without meaning where one rank has them all
    std::int64_t bucketElements = 0; ///< least size of a bucket; 0 = one bucket for everything
    bool bucketPerPart = false;      ///< instead: each part of the model (ParameterSpec::part) is a bucket

    bool sharesExperts() const { return expert.ranks > 1; }
    const Share& ownerOf(bool isOfExperts) const
    {
        return isOfExperts && sharesExperts() ? expertOwner : owner;
    }
    bool operator==(const Sharding&) const = default;
};

/// A contiguous range of the flat buffers that is communicated in one piece.
struct Bucket {
    std::int64_t begin = 0;              ///< first element
    std::int64_t end = 0;                ///< one past the last; the size is a multiple of owner.ranks
    int part = kEmbeddingsPart;          ///< of the model, of the first parameter inside
    std::vector<std::size_t> parameters; ///< indices of the parameters that lie inside
    Share owner;                         ///< this rank among those that each own an equal part
    std::int64_t shardBegin = 0;         ///< of this rank's part, in a buffer that holds only what it owns
    /// Of experts that ranks share: those with the same ones own and reduce them, not all data-parallel
    /// ranks.
    bool isOfExperts = false;

    std::int64_t size() const { return end - begin; }
    /// Of this rank's part, [begin, end) of the flat buffers.
    IndexRange owned() const
    {
        const std::int64_t each = size() / owner.ranks;
        return {begin + owner.rank * each, begin + (owner.rank + 1) * each};
    }
};

/// Consecutive elements of one parameter's slice that one rank owns.
struct OwnedPiece {
    std::size_t parameter = 0;
    std::int64_t firstElement = 0; ///< in the parameter's slice
    std::int64_t count = 0;
    std::int64_t offset = 0;      ///< in the flat buffers
    std::int64_t shardOffset = 0; ///< in a buffer that holds only what the rank owns
};

/// Where the slices of a rank's parameters lie in its flat buffers, in elements.
///
/// Frozen parameters have buckets of their own behind all others, so that gradients need the front alone.
/// Offsets run in reverse order of registration, because that is the order in which the backward pass
/// finishes gradients: buckets are contiguous ranges that fill from the front. Each tensor (or stack of
/// tensors) starts at a multiple of kAlignment; a bucket ends at a multiple of kAlignment * owner.ranks, so
/// that its owners' parts are equal and aligned. The gaps belong to no parameter. The same for every rank of
/// a data-parallel group, though ranks that share experts hold different ones there. Immutable; any thread.
class FlatLayout {
public:
    static constexpr std::int64_t kAlignment = kFlatAlignment; ///< elements

    /// Tensors that lie behind each other and are multiplied as one matrix.
    struct Stack {
        std::size_t firstParameter = 0;
        std::size_t parameterCount = 1;
        std::int64_t offset = 0;
        std::vector<std::int64_t> shape; ///< of the whole matrix
        int part = kEmbeddingsPart;      ///< of the model
        bool isFrozen = false;
        bool isOfExperts = false;
        bool isTied = false;
    };

    FlatLayout(const std::vector<ParameterSpec>& specs, const Sharding& sharding);

    const Sharding& sharding() const { return m_sharding; }
    std::int64_t flatCount() const { return m_flatCount; }   ///< elements, with gaps
    std::int64_t ownedCount() const { return m_ownedCount; } ///< of them this rank's
    /// Whether this rank owns all that it holds.
    bool ownsAll() const { return m_ownedCount == m_flatCount; }
    /// Elements and buckets of what is trained: the first ones.
    std::int64_t trainedCount() const { return m_trainedCount; }
    std::int64_t trainedOwnedCount() const { return m_trainedOwnedCount; }
    std::size_t trainedBuckets() const { return m_trainedBuckets; }
    const std::vector<SliceGeometry>& slices() const { return m_slices; }   ///< by parameter
    const std::vector<std::int64_t>& offsets() const { return m_offsets; }  ///< by parameter
    const std::vector<Stack>& stacks() const { return m_stacks; }           ///< in order of registration
    const std::vector<std::size_t>& stackOf() const { return m_stackOf; }   ///< by parameter
    const std::vector<Bucket>& buckets() const { return m_buckets; }        ///< front first
    const std::vector<std::size_t>& bucketOf() const { return m_bucketOf; } ///< by parameter
    /// In order of registration. Every element of every slice is in exactly one piece of one owner.
    std::vector<OwnedPiece> pieces() const { return piecesOf({}, {}); }
    /// As if the ranks that own the same shared it evenly: this one's part is `sharer`, of experts that ranks
    /// share `expertSharer`.
    std::vector<OwnedPiece> piecesOf(Share sharer, Share expertSharer) const;

private:
    void stackUp(const std::vector<ParameterSpec>& specs);
    void place();
    void placeParameters(const Stack& stack);

    Sharding m_sharding;
    std::vector<SliceGeometry> m_slices;
    std::vector<std::int64_t> m_offsets;
    std::vector<Stack> m_stacks;
    std::vector<std::size_t> m_stackOf;
    std::vector<Bucket> m_buckets;
    std::vector<std::size_t> m_bucketOf;
    std::int64_t m_flatCount = 0;
    std::int64_t m_ownedCount = 0;
    std::int64_t m_trainedCount = 0;
    std::int64_t m_trainedOwnedCount = 0;
    std::size_t m_trainedBuckets = 0;
};

} // namespace trainyard
