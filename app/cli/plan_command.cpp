#include <QJsonArray>
#include <QJsonObject>

#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "engine/planner/memory_model.h"
#include "engine/planner/parameter_parts.h"
#include "engine/planner/rank_grid.h"
#include "engine/spec/spec_json.h"

namespace trainyard {

namespace {

/// The least memory that any slot of the cluster offers; 0 = nobody said.
Bytes memoryPerSlot(const ClusterSpec& cluster)
{
    Bytes least = 0;
    for (const NodeSpec& node : cluster.nodes) {
        if (node.memory)
            least = least ? std::min(least, node.memory) : node.memory;
    }
    return least;
}

QJsonObject toJson(const MemoryEstimate& estimate)
{
    QJsonObject memory;
    for (std::size_t i = 0; i < kMemoryCategories; ++i)
        memory[QString::fromUtf8(nameOf(static_cast<MemoryCategory>(i)).data())] =
            static_cast<qint64>(estimate.bytes[i]);
    return memory;
}

void printTable(const RunSpec& spec, const MemoryEstimate& estimate, Bytes available)
{
    QList<QStringList> rows{{"memory per rank", ""}};
    for (std::size_t i = 0; i < kMemoryCategories; ++i) {
        if (estimate.bytes[i])
            rows << QStringList{QString::fromUtf8(nameOf(static_cast<MemoryCategory>(i)).data()),
                                QString::fromStdString(formatBytes(estimate.bytes[i]))};
    }
    rows << QStringList{"total", QString::fromStdString(formatBytes(estimate.total()))};
    if (available)
        rows << QStringList{"available per slot", QString::fromStdString(formatBytes(available))};
    console::print(
        QString("%1 parameters on %2 ranks (data %3 x tensor %4 x pipeline %5)")
            .arg(QString::fromStdString(formatNumber(static_cast<double>(parameterCount(spec.model)))))
            .arg(spec.layout.worldSize())
            .arg(spec.layout.data)
            .arg(spec.layout.tensor)
            .arg(spec.layout.pipeline));
    console::print(console::table(rows));
    for (const std::string& assumption : estimate.assumptions)
        console::print("  " + QString::fromStdString(assumption));
}

int plan(const std::string& file, const SequenceShape& shape, bool json)
{
    const auto spec = loadSpec(file);
    if (!spec.ok())
        return console::fail(spec.error());
    const MemoryEstimate estimate = estimateMemory(*spec, shape);
    const Bytes available = memoryPerSlot(spec->cluster);
    const bool fits = available == 0 || estimate.total() <= available;
    if (json)
        console::print(
            QJsonDocument(QJsonObject{{"parameters", static_cast<qint64>(parameterCount(spec->model))},
                                      {"world_size", spec->layout.worldSize()},
                                      {"memory_per_rank", toJson(estimate)},
                                      {"total_per_rank", static_cast<qint64>(estimate.total())},
                                      {"fits", fits}}));
    else
        printTable(*spec, estimate, available);
    if (fits)
        return 0;
    return console::fail(
        refused("a rank needs " + formatBytes(estimate.total()) + " and has " + formatBytes(available),
                "lower batch.micro, or use slots with more memory"));
}

} // namespace

void addPlanCommand(CLI::App& app, CommandOutcome& outcome)
{
    struct Options {
        std::string spec;
        SequenceShape shape;
        bool json = false;
    };
    auto options = std::make_shared<Options>();
    CLI::App* command =
        app.add_subcommand("plan", "Memory per device by category, before anything is launched");
    command->add_option("SPEC", options->spec, "Run specification (JSON)")->required();
    command->add_option("--seq-len", options->shape.length, "Tokens per sequence")->capture_default_str();
    command->add_option("--max-pred", options->shape.maxPredictions, "Masked positions per sequence")
        ->capture_default_str();
    command->add_flag("--json", options->json, "One JSON document on standard output");
    command->callback(
        [&outcome, options] { outcome.status = plan(options->spec, options->shape, options->json); });
}

} // namespace trainyard
