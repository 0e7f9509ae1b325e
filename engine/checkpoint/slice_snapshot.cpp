#include "engine/checkpoint/slice_snapshot.h"

#include <algorithm>
#include <cstring>

#include <ATen/DeviceAccelerator.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>

namespace trainyard {

namespace {

std::size_t bytesOfAll(const std::vector<SliceToSave>& slices)
{
    std::size_t bytes = 0;
    for (const SliceToSave& slice : slices)
        bytes += slice.values.bytes.size();
    return bytes;
}

at::Tensor roomFor(const std::vector<SliceToSave>& slices)
{
    const auto options = at::TensorOptions().dtype(at::kByte);
    return at::empty({static_cast<std::int64_t>(bytesOfAll(slices))},
                     options.pinned_memory(std::ranges::any_of(slices, &SliceToSave::onDevice)));
}

void copyFromDevice(std::byte* to, const void* from, std::int64_t count)
{
    const auto options = at::TensorOptions().dtype(at::kByte);
    at::from_blob(to, {count}, options)
        .copy_(at::from_blob(const_cast<void*>(from), {count}, options.device(*at::getAccelerator(true))));
}

} // namespace

SliceSnapshot::SliceSnapshot(const std::vector<SliceToSave>& slices)
    : m_bytes(roomFor(slices)), m_slices(slices)
{
    auto* place = static_cast<std::byte*>(m_bytes.mutable_data_ptr());
    for (SliceToSave& slice : m_slices) {
        std::span<const std::byte>& bytes = slice.values.bytes;
        if (slice.onDevice && !bytes.empty())
            copyFromDevice(place, bytes.data(), static_cast<std::int64_t>(bytes.size()));
        else if (!bytes.empty())
            std::memcpy(place, bytes.data(), bytes.size());
        bytes = {place, bytes.size()};
        place += bytes.size();
    }
}

} // namespace trainyard
