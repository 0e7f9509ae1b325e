#include "engine/planner/explain/processor_remarks.h"

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

} // namespace

Diagnostics processorRemarks(const RunSpec& spec, const std::vector<HostMemory>& hosts)
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

} // namespace trainyard
