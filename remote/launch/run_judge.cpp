#include "remote/launch/run_judge.h"

#include <algorithm>

#include "engine/spec/phases/phase_rules.h"
#include "engine/spec/phases/phases.h"
#include "engine/spec/spec_json.h"
#include "remote/launch/inventory.h"
#include "remote/launch/judge_limits.h"
#include "remote/launch/judge_spec.h"
#include "remote/launch/named_devices.h"
#include "remote/target/data_dirs.h"

namespace trainyard {

int RunJudge::nodesWithRanks() const
{
    int nodes = 0;
    for (int filled = 0; nodes < m_plan.run.hosts.size() && filled < m_plan.spec->layout.worldSize(); ++nodes)
        filled += m_plan.slotCounts.value(nodes, 1);
    return nodes;
}

bool RunJudge::usesDevices() const
{
    if (!m_plan.spec)
        return false;
    const std::vector<NodeMemory> memory = memoryOfNodes();
    const auto hosts = memoryOfHosts(*m_plan.spec, [&](std::size_t node) { return memory[node]; });
    return std::ranges::all_of(hosts, &HostMemory::onDevices);
}

Status RunJudge::judge(const RunDataSets& data, const std::function<void(const QString&)>& remark) const
{
    for (int phase = 0; phase < phaseCount(*m_plan.spec); ++phase) {
        const auto remarks = judgePhase(data, phase);
        if (!remarks.ok())
            return inPhase(*m_plan.spec, phase, remarks.error());
        for (const Diagnostic& one : inPhase(*m_plan.spec, phase, *remarks))
            remark(QString::fromStdString(one.text()));
    }
    return m_plan.slurm ? Status() : judgeHosts(remark);
}

Result<Diagnostics> RunJudge::judgePhase(const RunDataSets& sets, int phase) const
{
    const RunSpec spec = specOfPhase(*m_plan.spec, phase);
    TRAINYARD_TRY(const std::vector<DataSetManifest> data, sets.ofPhase(*m_plan.spec, phase));
    TRAINYARD_TRY_STATUS(sets.judgeEvaluated(spec, data.front()));
    return m_plan.slurm ? judgeDataSets(spec, data) : judgeSpec(spec, data, memoryOfNodes());
}

Status RunJudge::judgeHosts(const std::function<void(const QString&)>& remark) const
{
    std::vector<HostFacts> facts;
    std::vector<int> ranks;
    int left = m_plan.spec->layout.worldSize();
    for (int node = 0; node < m_plan.run.hosts.size() && left > 0; ++node) {
        facts.push_back(readFacts(m_plan.run.hosts[node], m_probes[static_cast<std::size_t>(node)], {}));
        const auto index = static_cast<std::size_t>(node);
        TRAINYARD_TRY_STATUS(haveNamedDevices(facts.back(), nodeOf(index), index));
        ranks.push_back(std::min(left, m_plan.slotCounts.value(node, 1)));
        left -= ranks.back();
    }
    for (const QString& one : storageRemarks(*m_plan.spec, facts.front()))
        remark(one);
    return judgeLimits(*m_plan.spec, facts, ranks);
}

/// Of a run that goes on in its layout nothing is judged: it may take any device.
NodeSpec RunJudge::nodeOf(std::size_t host) const
{
    return m_plan.spec && host < m_plan.spec->cluster.nodes.size() ? m_plan.spec->cluster.nodes[host]
                                                                   : NodeSpec();
}

/// As the probes tell it.
std::vector<NodeMemory> RunJudge::memoryOfNodes() const
{
    std::vector<NodeMemory> memory;
    for (std::size_t i = 0; i < m_probes.size(); ++i)
        memory.push_back(memoryOf(readFacts({}, m_probes[i], {}), nodeOf(i)));
    return memory;
}

int RunJudge::leastReplicas() const
{
    const auto folder = runDir(m_plan.run.id);
    const auto spec = m_plan.spec ? Result<RunSpec>(*m_plan.spec) : loadSpec(folder / "spec.json");
    if (!spec.ok() || m_plan.slurm || !spec->launch.restart.elastic)
        return 0;
    int least = 0; // of the phase that needs most
    for (const DataSetOfPhase& set : dataSetsOf(*spec)) {
        const auto data = keptManifest(folder, set);
        if (!data.ok())
            return 0;
        least =
            std::max(least, trainyard::leastReplicas(specOfPhase(*spec, set.phase), *data, memoryOfNodes()));
    }
    return least;
}

} // namespace trainyard
