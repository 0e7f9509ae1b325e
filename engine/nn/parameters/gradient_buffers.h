#pragma once

#include <vector>

#include <torch/types.h>

#include "engine/nn/parameters/flat_layout.h"
#include "engine/nn/parameters/placement.h"

namespace trainyard {

/// Where a step's gradients stay.
enum class GradientResidence {
    Whole,  ///< one buffer for all that the rank holds
    Sharded ///< only what the rank owns; a bucket's buffer lives from its first gradient until it was reduced
            ///< (ZeRO 2)
};

/// The flat gradients of what a rank trains, in the master weights' type. They are made on the device; with
/// an offloaded optimizer what the rank owns of a bucket goes to host memory once it was reduced. One thread.
class GradientBuffers {
public:
    /// `layout` outlives the buffers.
    GradientBuffers(const FlatLayout& layout, GradientResidence residence, at::ScalarType type,
                    const Placement& placement = {});

    GradientResidence residence() const { return m_residence; }
    /// Whether a bucket's buffer lives from its first gradient until keepOwnedPart(): when gradients are
    /// sharded or offloaded.
    bool bucketsPass() const { return m_bucketsPass; }
    /// [bucket.size()]; made, filled with zeros, when it is not there.
    const at::Tensor& bucket(std::size_t index);
    bool hasBucket(std::size_t index) const { return m_buckets[index].defined(); }
    /// The part of a bucket that this rank owns, inside bucket(index).
    at::Tensor ownedPart(std::size_t index);
    /// Of a bucket that passes, complete for this backward pass: adds ownedPart(index) to what is kept of
    /// this step, and frees the bucket.
    void keepOwnedPart(std::size_t index);
    /// What is kept of a bucket's part that this rank owns: a view of resident().
    at::Tensor keptPart(std::size_t index) const;
    /// Starts a step: the next kept part is its first.
    void beginStep();

    /// [trainedCount()], or [trainedOwnedCount()] when buckets pass: what stays until the optimizer has used
    /// it.
    const at::Tensor& resident() const { return m_resident; }
    /// Gradient of a piece that this rank owns, [piece.count]. A view of resident().
    at::Tensor of(const OwnedPiece& piece) const;

private:
    const FlatLayout& m_layout;
    GradientResidence m_residence;
    bool m_bucketsPass;
    at::TensorOptions m_options; // of buckets that pass
    at::Tensor m_resident;
    std::vector<bool> m_isKept;        // by bucket: of this step
    std::vector<at::Tensor> m_buckets; // views of m_resident, or buffers of their own
};

} // namespace trainyard
