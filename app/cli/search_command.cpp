#include <map>

#include <QJsonArray>
#include <QJsonObject>

#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/hardware_input.h"
#include "app/cli/planned_shape.h"
#include "app/cli/spec_input.h"
#include "engine/planner/search/layout_search.h"
#include "engine/planner/time/step_figures.h"
#include "engine/spec/limits.h"
#include "engine/spec/names.h"

namespace trainyard {

namespace {

struct SearchOptions {
    std::string spec;
    std::string hardware;
    std::string objective = "time";
    int nodes = 0;  ///< 0: as many as the specification's ranks fill
    int length = 0; ///< tokens per sequence; 0: the model's positions
    std::size_t top = 5;
    bool json = false;
};

const std::map<std::string, SearchObjective> kObjectives{
    {"time", SearchObjective::Time}, {"cost", SearchObjective::Cost}, {"memory", SearchObjective::Memory}};

SearchRequest requestFor(const SearchOptions& options, const RunSpec& spec, const NodeModel& node)
{
    SearchRequest request;
    request.spec = spec;
    request.shape = plannedShape(spec.model, options.length);
    request.node = node;
    request.nodes =
        options.nodes > 0 ? options.nodes : (spec.layout.worldSize() + node.devices - 1) / node.devices;
    request.objective = kObjectives.at(options.objective);
    request.top = options.top;
    return request;
}

QString textOf(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

QJsonObject toJson(const SearchRequest& request, const FoundLayout& found)
{
    const RunSpec& spec = found.spec;
    const StepFigures figures = stepFigures(spec, request.shape, request.node.device, found.time.seconds);
    QJsonObject causes;
    for (std::size_t i = 0; i < kStepCauses; ++i)
        causes[textOf(nameOf(static_cast<StepCause>(i)))] = found.time.byCause[i];
    return {{"data", spec.layout.data},
            {"tensor", spec.layout.tensor},
            {"pipeline", spec.layout.pipeline},
            {"virtual_stages", spec.layout.virtualStages},
            {"schedule", textOf(nameOf(spec.layout.schedule))},
            {"sequence", spec.layout.sequence},
            {"placement", QString::fromStdString(spec.layout.placement)},
            {"micro", spec.batch.micro},
            {"accumulation", spec.batch.accumulation},
            {"zero_stage", spec.memory.zeroStage},
            {"recompute", textOf(nameOf(spec.memory.recompute))},
            {"offload_activations", spec.memory.offloadActivations},
            {"offload_optimizer", spec.memory.offloadOptimizer},
            {"step_seconds", found.time.seconds},
            {"step_seconds_by_cause", causes},
            {"sequences_per_second", found.sequencesPerSecond},
            {"model_flops_utilization", figures.modelUtilization},
            {"hardware_flops_utilization", figures.hardwareUtilization},
            {"cost_per_million_sequences", found.costPerMillionSequences},
            {"memory_per_rank", static_cast<qint64>(found.onDevice)},
            {"host_memory_per_rank", static_cast<qint64>(found.onHost)}};
}

QString memoryMeasures(const MemorySpec& memory)
{
    QStringList words;
    if (memory.zeroStage > 0)
        words << QString("ZeRO %1").arg(memory.zeroStage);
    if (memory.recompute != RecomputeKind::None)
        words << textOf(nameOf(memory.recompute)) + " recomputation";
    if (memory.offloadActivations)
        words << "activations offloaded";
    if (memory.offloadOptimizer)
        words << "optimizer offloaded";
    return words.join(", ");
}

QStringList rowOf(const FoundLayout& found, const Price& price)
{
    const ParallelLayout& layout = found.spec.layout;
    const double cost = found.costPerMillionSequences;
    return {QString::number(layout.data),
            QString::number(layout.tensor),
            layout.virtualStages > 1 ? QString("%1 x %2").arg(layout.pipeline).arg(layout.virtualStages)
                                     : QString::number(layout.pipeline),
            QString("%1 x %2").arg(found.spec.batch.micro).arg(found.spec.batch.accumulation),
            QString::fromStdString(formatNumber(found.sequencesPerSecond)),
            QString::fromStdString(formatNumber(found.time.seconds)) + " s",
            cost > 0 ? QString::fromStdString(formatNumber(cost) + " " + price.currency) : QString("unknown"),
            QString::fromStdString(formatBytes(found.onDevice)),
            memoryMeasures(found.spec.memory)};
}

void printTable(const std::vector<FoundLayout>& layouts, const Price& price)
{
    QList<QStringList> rows{
        {"data", "tensor", "pipeline", "micro-batch", "seq/s", "step", "cost of 10^6", "memory", "with"}};
    for (const FoundLayout& layout : layouts)
        rows << rowOf(layout, price);
    console::print(console::table(rows));
}

int search(const SearchOptions& options)
{
    const auto [spec, status] = readSpecInput(options.spec, options.json);
    if (status != 0)
        return status;
    const auto node = readHardwareInput(options.hardware);
    if (!node.ok())
        return console::fail(node.error());
    const SearchRequest request = requestFor(options, spec, *node);
    const auto layouts = searchLayouts(request);
    if (!layouts.ok())
        return console::fail(layouts.error());
    if (!options.json) {
        printTable(*layouts, node->price);
        return 0;
    }
    QJsonArray array;
    for (const FoundLayout& layout : *layouts)
        array << toJson(request, layout);
    console::print(QJsonDocument(QJsonObject{{"layouts", array}}));
    return 0;
}

} // namespace

void addSearchCommand(CLI::App& app, CommandOutcome& outcome)
{
    auto options = std::make_shared<SearchOptions>();
    CLI::App* command =
        app.add_subcommand("search", "The best layouts of a model on a kind of node, before anything runs");
    command->add_option("SPEC", options->spec, "Run specification (JSON): its model and global batch")
        ->required();
    command
        ->add_option("--hardware", options->hardware,
                     "A node preset (resources/presets/hardware) or a file like one")
        ->required();
    command->add_option("--nodes", options->nodes, "How many (default: what the specification's ranks fill)")
        ->check(CLI::Range(1, kMostRanks));
    command->add_option("--seq-len", options->length, "Tokens per sequence (default: the model's positions)")
        ->check(CLI::Range(1, kMostEntries));
    command->add_option("--objective", options->objective, "time, cost or memory (default: time)")
        ->check(CLI::IsMember(kObjectives));
    command->add_option("--top", options->top, "How many layouts (default: 5)")->check(CLI::Range(1, 100));
    command->add_flag("--json", options->json, "One JSON document on standard output");
    command->callback([&outcome, options] { outcome.status = search(*options); });
}

} // namespace trainyard
