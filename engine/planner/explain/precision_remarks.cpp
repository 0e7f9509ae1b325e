#include "engine/planner/explain/precision_remarks.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "engine/spec/names.h"

namespace trainyard {

namespace {

// A step against the same one in float32, rounded, as measured (tests/bench/README.md, 16-bit numbers on
// processors).
constexpr const char* kWidenedSlowdown = "about 4 times";
constexpr const char* kPortableSlowdown = "more than 10 times";

/// "gpu-03", "gpu-03 and 7 other hosts".
std::string namesOf(const std::vector<std::string>& hosts)
{
    const std::size_t others = hosts.size() - 1;
    return others == 0 ? hosts.front()
                       : fmt::format("{} and {} other host{}", hosts.front(), others, others == 1 ? "" : "s");
}

Diagnostics slowProcessors(const RunSpec& spec, const std::vector<HostMemory>& hosts)
{
    const char* slowdown = kWidenedSlowdown;
    std::vector<std::string> slow;
    for (const HostMemory& host : hosts) {
        const NarrowProducts products = productsOn(spec, host);
        if (products == NarrowProducts::Portable)
            slowdown = kPortableSlowdown;
        if (products != NarrowProducts::Native)
            slow.push_back(host.host);
    }
    if (slow.empty())
        return {};
    const std::string_view type = nameOf(spec.precision.compute);
    return {{"precision.compute",
             fmt::format("{} is {} slower than float32 on processors without {} instructions: {}", type,
                         slowdown, type, namesOf(slow)),
             "set precision.compute to \"float32\", or use other hosts"}};
}

constexpr double kMuchFaster = 4; ///< products in bfloat16, below which float32 goes unremarked

/// TF32 is off in our products, so that float32 is float32.
Diagnostics fasterDevices(const RunSpec& spec, const std::vector<HostMemory>& hosts)
{
    double least = 0;
    std::vector<std::string> faster;
    for (const HostMemory& host : hosts) {
        const double gain = host.float32Peak > 0 ? host.bfloat16Peak / host.float32Peak : 0;
        if (spec.precision.compute != ComputeType::Float32 || gain < kMuchFaster)
            continue;
        least = faster.empty() ? gain : std::min(least, gain);
        faster.push_back(host.host);
    }
    if (faster.empty())
        return {};
    return {{"precision.compute",
             fmt::format("float32 products take {:.0f} times as long as bfloat16's on these devices: {}",
                         least, namesOf(faster)),
             "set precision.compute to \"bfloat16\""}};
}

} // namespace

Diagnostics precisionRemarks(const RunSpec& spec, const std::vector<HostMemory>& hosts)
{
    Diagnostics remarks = slowProcessors(spec, hosts);
    std::ranges::move(fasterDevices(spec, hosts), std::back_inserter(remarks));
    return remarks;
}

} // namespace trainyard
