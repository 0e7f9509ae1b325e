#include "engine/spec/device_name.h"

#include <algorithm>

#include "engine/base/parsed_number.h"

namespace trainyard {

namespace {

constexpr int kMaxDevices = 4096;
constexpr std::size_t kMaxLength = 128;

bool isSign(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '/';
}

} // namespace

bool isDeviceName(std::string_view name)
{
    if (const auto index = parsedNumber<int>(name))
        return *index >= 0 && *index < kMaxDevices && name.front() != '-';
    const bool known = name.starts_with(kGpuNamePrefix) || name.starts_with(kInstanceNamePrefix);
    return known && name.size() > kGpuNamePrefix.size() && name.size() <= kMaxLength &&
           std::ranges::all_of(name, isSign);
}

} // namespace trainyard
