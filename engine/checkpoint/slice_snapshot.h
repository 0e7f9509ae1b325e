#pragma once

#include <vector>

#include <torch/types.h>

#include "engine/checkpoint/format/checkpoint_writer.h"

namespace trainyard {

/// A copy of slices as they are now, so that another thread can write them while training goes on. What lies
/// on a device is copied to pinned memory, once the device has done what this thread gave it.
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
