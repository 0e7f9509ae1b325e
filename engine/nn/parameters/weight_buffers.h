#pragma once

#include <vector>

#include <torch/types.h>

#include "engine/nn/parameters/flat_layout.h"

namespace trainyard {

/// Where the working weights are between their uses.
enum class WeightResidence {
    Whole,  ///< on every rank that multiplies with them
    Sharded ///< nowhere: each rank keeps the master weights that it owns, and a bucket is put together from
            ///< those of all owners for each use (ZeRO 3)
};

/// The flat working weights of a rank, in the compute type on its device. One thread.
class WeightBuffers {
public:
    /// Filled with zeros where they are whole. `layout` outlives the buffers.
    WeightBuffers(const FlatLayout& layout, WeightResidence residence, at::TensorOptions options);

    WeightResidence residence() const { return m_residence; }
    /// [flatCount()]; undefined when sharded.
    const at::Tensor& whole() const { return m_whole; }
    /// [bucket.size()]. While a sharded bucket is not there, it and its views have their shapes but no
    /// memory: what the graph saved of them is good again once the bucket is back.
    const at::Tensor& bucket(std::size_t index) const { return m_buckets[index]; }
    bool isThere(std::size_t index) const;
    /// The part of a bucket that this rank owns, inside bucket(index).
    at::Tensor ownedPart(std::size_t index) const;

    /// Gives a sharded bucket memory, with any content, or takes it away.
    void allocate(std::size_t index);
    void release(std::size_t index);

private:
    const FlatLayout& m_layout;
    WeightResidence m_residence;
    at::Tensor m_whole;
    std::vector<at::Tensor> m_buckets; // views of m_whole, or each with a storage of its own
};

} // namespace trainyard
