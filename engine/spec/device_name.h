#pragma once

#include <string_view>

namespace trainyard {

constexpr std::string_view kGpuNamePrefix = "GPU-";
constexpr std::string_view kInstanceNamePrefix = "MIG-"; ///< of a part of a GPU

/// A name as CUDA_VISIBLE_DEVICES takes it: an index from 0 to 4095, or "GPU-..." or "MIG-..." with letters,
/// digits, - and / behind it, at most 128 characters.
bool isDeviceName(std::string_view name);

} // namespace trainyard
