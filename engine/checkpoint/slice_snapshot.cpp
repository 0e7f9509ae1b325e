#include "engine/checkpoint/slice_snapshot.h"

#include <cstring>

namespace trainyard {

namespace {

std::size_t bytesOfAll(const std::vector<SliceToSave>& slices)
{
    std::size_t bytes = 0;
    for (const SliceToSave& slice : slices)
        bytes += slice.values.bytes.size();
    return bytes;
}

} // namespace

SliceSnapshot::SliceSnapshot(const std::vector<SliceToSave>& slices)
    : m_bytes(at::empty({static_cast<std::int64_t>(bytesOfAll(slices))}, at::kByte)), m_slices(slices)
{
    auto* place = static_cast<std::byte*>(m_bytes.mutable_data_ptr());
    for (SliceToSave& slice : m_slices) {
        std::span<const std::byte>& bytes = slice.values.bytes;
        if (!bytes.empty())
            std::memcpy(place, bytes.data(), bytes.size());
        bytes = {place, bytes.size()};
        place += bytes.size();
    }
}

} // namespace trainyard
