#include "engine/probes/probe_run.h"

#include <algorithm>
#include <cstring>

#include "engine/base/check.h"
#include "engine/comm/process_group.h"
#include "engine/planner/calibration/probe_plan.h"
#include "engine/probes/device_probes.h"
#include "engine/probes/group_probes.h"
#include "engine/probes/probe_clock.h"

namespace trainyard {

namespace {

std::vector<int> slotsOf(const ClusterSpec& cluster)
{
    std::vector<int> slots;
    for (const NodeSpec& node : cluster.nodes)
        slots.push_back(node.slotCount);
    return slots;
}

/// On rank 0 a value of every rank; empty elsewhere.
template <typename Value>
std::vector<Value> gathered(ProcessGroup& world, const Value& mine)
{
    static_assert(std::is_trivially_copyable_v<Value>);
    std::vector<Value> values;
    for (const std::string& bytes : world.gather({reinterpret_cast<const char*>(&mine), sizeof mine})) {
        TRAINYARD_CHECK(bytes.size() == sizeof(Value));
        std::memcpy(&values.emplace_back(), bytes.data(), sizeof(Value));
    }
    return values;
}

double median(std::vector<double> values)
{
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

class ProbeRun {
public:
    explicit ProbeRun(const ProbeSetup& setup)
        : m_setup(setup), m_slots(slotsOf(setup.spec.cluster)), m_clock(setup.world, setup.device)
    {
    }
    ProbeReport run();

private:
    ProbedHardware worstHardware() const;
    ProbeTimes measure(const Probe& probe);
    void keep(Probe& probe, const std::vector<ProbeTimes>& times) const;

    const ProbeSetup& m_setup;
    const std::vector<int> m_slots;
    ProbeGroups m_groups;
    ProbeClock m_clock;
};

/// What every rank plans by must be the same: rank 0's device speaks for all but for memory.
ProbedHardware ProbeRun::worstHardware() const
{
    struct Memory {
        Bytes device;
        Bytes host;
    };
    ProbedHardware hardware = m_setup.hardware;
    hardware.hosts.clear();
    for (const NodeSpec& node : m_setup.spec.cluster.nodes)
        hardware.hosts.push_back(node.host);
    hardware.ranksPerHost = std::ranges::min(m_slots);
    for (const Memory& memory : gathered(m_setup.world, Memory{hardware.deviceMemory, hardware.hostMemory})) {
        hardware.deviceMemory = std::min(hardware.deviceMemory, memory.device);
        hardware.hostMemory = std::min(hardware.hostMemory, memory.host);
    }
    return hardware;
}

ProbeTimes ProbeRun::measure(const Probe& probe)
{
    if (probe.reach == ProbeReach::Device)
        return m_clock.measure(deviceWork(probe, m_setup.device));
    ProcessGroup* const group =
        probe.reach == ProbeReach::Node ? m_groups.node.get() : m_groups.network.get();
    return m_clock.measure(group ? groupWork(probe, *group, m_setup.device) : nullptr);
}

/// `times` in order of rank.
void ProbeRun::keep(Probe& probe, const std::vector<ProbeTimes>& times) const
{
    auto next = times.begin();
    for (const int there : m_slots) {
        std::vector<double> medians;
        std::vector<double> spreads;
        for (const auto end = next + there; next != end; ++next) {
            if (next->median > 0) {
                medians.push_back(next->median);
                spreads.push_back(next->spread);
            }
        }
        if (medians.empty() || median(medians) < probe.seconds)
            continue;
        probe.seconds = median(medians);
        probe.spread = median(spreads);
    }
}

ProbeReport ProbeRun::run()
{
    ProbeReport report{worstHardware(), m_setup.spec.precision.compute, {}};
    report.probes = plannedProbes(m_setup.spec, report.hardware);
    m_groups = makeProbeGroups(m_setup.maker, m_slots, report.hardware.ranksPerHost);
    for (std::size_t i = 0; i < report.probes.size(); ++i) {
        m_setup.onProgress(i, report.probes.size(), report.probes[i]);
        const std::vector<ProbeTimes> times = gathered(m_setup.world, measure(report.probes[i]));
        if (!times.empty())
            keep(report.probes[i], times);
    }
    return m_setup.world.isFirst() ? report : ProbeReport();
}

} // namespace

ProbeReport runProbes(const ProbeSetup& setup)
{
    return ProbeRun(setup).run();
}

} // namespace trainyard
