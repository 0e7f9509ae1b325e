#pragma once

#include <vector>

#include <torch/types.h>

#include "engine/checkpoint/format/checkpoint_writer.h"

namespace trainyard {

/// A copy of slices in their current state, so that another thread can write them while training continues.
/// Slices on a device are copied to pinned memory, behind this thread's earlier device work.
class SliceSnapshot {
public:
    explicit SliceSnapshot(const std::vector<SliceToSave>& slices);

    /// Views of the copy, as long as this object lives.
    const std::vector<SliceToSave>& slices() const { return m_slices; }

private:
    at::Tensor m_bytes; ///< [bytes of all slices], one after another
    std::vector<SliceToSave> m_slices;
};

} // namespace trainyard
