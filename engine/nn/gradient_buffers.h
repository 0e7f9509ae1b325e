#pragma once

#include <vector>

#include <torch/types.h>

#include "engine/nn/flat_layout.h"

namespace trainyard {

/// Where a step's gradients stay.
enum class GradientResidence {
    Whole,  ///< one buffer for all that the rank holds
    Sharded ///< only what the rank owns; a bucket's buffer lives from its first gradient until it was reduced
            ///< (ZeRO 2)
};

/// The flat gradients of a rank, in the master weights' type. One thread.
class GradientBuffers {
public:
    /// `layout` outlives the buffers.
    GradientBuffers(const FlatLayout& layout, GradientResidence residence, at::ScalarType type);

    GradientResidence residence() const { return m_residence; }
    /// [bucket.size()]; made, filled with zeros, when it is not there.
    const at::Tensor& bucket(std::size_t index);
    bool hasBucket(std::size_t index) const { return m_buckets[index].defined(); }
    /// Frees a bucket of sharded gradients.
    void release(std::size_t index);

    /// The part of a bucket that this rank owns, inside bucket(index).
    at::Tensor ownedPart(std::size_t index);
    /// Adds ownedPart(index) to what is kept of sharded gradients.
    void keepOwnedPart(std::size_t index);
    /// Sharded gradients := 0.
    void clearOwned();

    /// [flatCount()], or [ownedCount()] when sharded: what stays until the optimizer has used it.
    const at::Tensor& resident() const { return m_resident; }
    /// Gradient of a piece that this rank owns, [piece.count]. A view of resident().
    at::Tensor of(const OwnedPiece& piece) const;

private:
    const FlatLayout& m_layout;
    GradientResidence m_residence;
    at::Tensor m_resident;
    std::vector<at::Tensor> m_buckets; // views of m_resident, or buffers of their own
};

} // namespace trainyard
