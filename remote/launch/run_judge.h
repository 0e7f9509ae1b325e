#pragma once

#include <functional>
#include <vector>

#include <QJsonObject>
#include <QString>

#include "engine/planner/memory/memory_fit.h"
#include "engine/spec/diagnostic.h"
#include "remote/launch/run_data_sets.h"
#include "remote/launch/start_plan.h"

namespace trainyard {

/// Judges a run by what its hosts have. Refers to its arguments. All but leastReplicas() need a specification
/// in the plan.
class RunJudge {
public:
    /// `probes`: of every host of the plan, in its order.
    RunJudge(const StartPlan& plan, const std::vector<QJsonObject>& probes) : m_plan(plan), m_probes(probes)
    {
    }

    /// Nodes that get a rank: they are filled in order.
    int nodesWithRanks() const;
    /// Whether the ranks compute on devices; not for a batch job.
    bool usesDevices() const;
    /// Data sets, memory, processes, files and disks. `remark` gets what the user should know before the
    /// start, also before an error. Nobody knows yet what the nodes of a batch job will have.
    Status judge(const RunDataSets& data, const std::function<void(const QString&)>& remark) const;
    /// The fewest replicas of an elastic run, by what this computer keeps of it; 0 = not known.
    int leastReplicas() const;

private:
    Result<Diagnostics> judgePhase(const RunDataSets& data, int phase) const;
    Status judgeHosts(const std::function<void(const QString&)>& remark) const;
    NodeSpec nodeOf(std::size_t host) const;
    std::vector<NodeMemory> memoryOfNodes() const;

    const StartPlan& m_plan;
    const std::vector<QJsonObject>& m_probes;
};

} // namespace trainyard
