#include "app/plan/plan_of_run.h"

#include <QJsonArray>

#include "app/plan/hardware_library.h"
#include "app/runs/recorded_run.h"
#include "engine/planner/layout/rank_grid.h"
#include "remote/launch/inventory.h"

namespace trainyard {

namespace {

SequenceShape shapeOf(const DataSetManifest& rows)
{
    return {rows.sequenceLength, rows.maxPredictions};
}

NodeMemory foundOn(const QString& host, const QJsonObject& inventory)
{
    for (const QJsonValue& entry : inventory["hosts"].toArray()) {
        if (entry["host"].toString() == host)
            return memoryOf(readFacts(host, entry["probe"].toObject(), {}));
    }
    return {};
}

RunSpec withHardware(RunSpec spec, const std::string& hardware)
{
    for (NodeSpec& node : spec.cluster.nodes) {
        if (node.hardware.empty())
            node.hardware = hardware;
    }
    return spec;
}

} // namespace

std::vector<MemoryByCategory> plannedMemory(const RunFacts& facts)
{
    const RunSpec* spec = facts.specNow();
    if (!spec || !facts.dataSet)
        return {};
    const auto grid = RankGrid::create(spec->layout);
    if (!grid.ok())
        return {};
    const auto hosts = memoryOfHosts(*spec, [&](std::size_t node) {
        return foundOn(QString::fromStdString(spec->cluster.nodes[node].host), facts.inventory);
    });
    const auto stages = memoryOfPipelineRanks(*spec, shapeOf(*facts.dataSet), productsOn(*spec, hosts));
    if (stages.size() < static_cast<std::size_t>(spec->layout.pipeline))
        return {}; // no run of ours: more stages than layers
    std::vector<MemoryByCategory> ranks;
    for (int rank = 0; rank < grid->worldSize().value; ++rank)
        ranks.push_back(stages.at(static_cast<std::size_t>(grid->coordOf(Rank{rank}).pipeline)));
    return ranks;
}

Result<PlannedRun> planOf(const RunFacts& facts, const HardwareLibrary& library, const std::string& hardware)
{
    const RunSpec* spec = facts.specNow();
    if (!spec)
        return badInput("the specification of this run is not available here");
    if (!facts.dataSet)
        return badInput("the row length is unknown, because the manifest of the data set cannot be read from "
                        "this computer");
    return planRun(
        withHardware(*spec, hardware),
        {shapeOf(*facts.dataSet), [&](const std::string& name) { return library.find(name); },
         [&](const NodeSpec& node) { return foundOn(QString::fromStdString(node.host), facts.inventory); }});
}

} // namespace trainyard
