#include <algorithm>

#include <QJsonArray>
#include <QJsonObject>

#include "app/base/display_text.h"
#include "app/cli/commands.h"
#include "app/cli/support/console.h"
#include "app/cli/support/hardware_input.h"
#include "app/cli/support/output_file.h"
#include "app/cli/support/planned_shape.h"
#include "app/cli/support/watched_work.h"
#include "engine/base/file.h"
#include "engine/planner/partition/arrangement.h"
#include "engine/planner/partition/part_costs_json.h"
#include "engine/spec/names.h"
#include "engine/spec/spec_json.h"

namespace trainyard {

namespace {

constexpr std::size_t kArrangementsTold = 8; ///< of those that differ, the best ones

struct PartitionOptions {
    std::string spec;
    std::string hardware; ///< empty: the specification's
    std::string seconds;  ///< file of measured seconds; empty: the time model's
    std::string specOut;  ///< empty: no specification is written
    ShapeInput shape;
    bool json = false;
};

/// What is told of a layout.
struct Outcome {
    std::vector<std::string> hardware;    ///< of the nodes, each kind once
    std::vector<StageDivision> divisions; ///< as the layout is placed
    std::optional<Error> noTimes{};       ///< why layers by time are not among them
    std::vector<Arrangement> arrangements;
};

QString basisOf(const std::optional<PartitionKind>& kind)
{
    if (!kind)
        return "time";
    if (*kind == PartitionKind::ByHand)
        return "hand";
    return toQString(nameOf(*kind));
}

QString listOf(const std::vector<int>& counts)
{
    QStringList words;
    for (const int count : counts)
        words << QString::number(count);
    return words.join(' ');
}

QString secondsOf(double seconds)
{
    return console::number(seconds) + " s";
}

QString verdictOf(bool fits)
{
    return fits ? "fits" : "does not fit";
}

/// Neighbours of one kind: "4 x p4d.24xlarge (8 slots)".
QString kindOf(const NodeSpec& node, int count)
{
    const QString name = node.hardware.empty() ? QString("node") : QString::fromStdString(node.hardware);
    return QString("%1 x %2 (%3 slots)").arg(count).arg(name).arg(node.slotCount);
}

/// The hosts in their order; of many the kinds.
QString hostsOf(const ClusterSpec& cluster)
{
    constexpr std::size_t kFew = 4;
    const std::vector<NodeSpec>& nodes = cluster.nodes;
    QStringList hosts;
    if (nodes.size() <= kFew) {
        for (const NodeSpec& node : nodes)
            hosts << QString::fromStdString(node.host);
        return hosts.join(' ');
    }
    for (auto first = nodes.begin(); first != nodes.end();) {
        const auto end = std::find_if(first, nodes.end(), [&](const NodeSpec& node) {
            return node.hardware != first->hardware || node.slotCount != first->slotCount;
        });
        hosts << kindOf(*first, static_cast<int>(end - first));
        first = end;
    }
    return hosts.join(", ");
}

void printTables(const Outcome& outcome)
{
    QList<QStringList> divisions{{"layers by", "of each stage", "step", "memory", ""}};
    for (const StageDivision& division : outcome.divisions)
        divisions << QStringList{
            basisOf(division.kind), listOf(division.layerCounts), secondsOf(division.step),
            QString::fromStdString(formatBytes(division.onDevice)), verdictOf(division.fits)};
    console::print(console::table(divisions));
    if (outcome.noTimes)
        console::print("not by time: " + QString::fromStdString(outcome.noTimes->text()));
    QList<QStringList> arrangements{{"placement", "hosts", "layers of each stage", "step", ""}};
    for (std::size_t i = 0; i < std::min(kArrangementsTold, outcome.arrangements.size()); ++i) {
        const Arrangement& one = outcome.arrangements[i];
        arrangements << QStringList{QString::fromStdString(one.spec.layout.placement),
                                    hostsOf(one.spec.cluster), listOf(one.layerCounts), secondsOf(one.step),
                                    verdictOf(one.fits)};
    }
    console::print(console::table(arrangements));
}

QJsonArray arrayOf(const std::vector<int>& counts)
{
    QJsonArray array;
    for (const int count : counts)
        array << count;
    return array;
}

QJsonArray hostsJson(const ClusterSpec& cluster)
{
    QJsonArray array;
    for (const NodeSpec& node : cluster.nodes)
        array << QString::fromStdString(node.host);
    return array;
}

QJsonObject toJson(const Outcome& outcome)
{
    QJsonArray divisions;
    for (const StageDivision& division : outcome.divisions)
        divisions << QJsonObject{{"by", basisOf(division.kind)},
                                 {"layers_per_stage", arrayOf(division.layerCounts)},
                                 {"step_seconds", division.step},
                                 {"memory_per_rank", static_cast<qint64>(division.onDevice)},
                                 {"fits", division.fits}};
    QJsonArray arrangements;
    for (const Arrangement& one : outcome.arrangements)
        arrangements << QJsonObject{{"placement", QString::fromStdString(one.spec.layout.placement)},
                                    {"hosts", hostsJson(one.spec.cluster)},
                                    {"layers_per_stage", arrayOf(one.layerCounts)},
                                    {"step_seconds", one.step},
                                    {"fits", one.fits}};
    QJsonObject json{{"divisions", divisions}, {"arrangements", arrangements}};
    if (outcome.noTimes)
        json["not_by_time"] = QString::fromStdString(outcome.noTimes->text());
    return json;
}

Result<std::optional<PartCosts>> measuredSeconds(const std::string& file, const ModelSpec& model)
{
    if (file.empty())
        return std::optional<PartCosts>();
    TRAINYARD_TRY(const std::string text, readFile(file));
    auto parts = parsePartCosts(text, model.layers);
    if (!parts.ok())
        return parts.error().in(file);
    return std::optional(*std::move(parts));
}

std::vector<std::string> kindsOf(const std::vector<NodeModel>& nodes)
{
    std::vector<std::string> kinds;
    for (const NodeModel& node : nodes) {
        if (std::ranges::find(kinds, node.name) == kinds.end())
            kinds.push_back(node.name);
    }
    return kinds;
}

QStringList textsOf(const std::vector<std::string>& texts)
{
    QStringList list;
    for (const std::string& text : texts)
        list << QString::fromStdString(text);
    return list;
}

Result<Outcome> outcomeOf(const PartitionOptions& options, const RunSpec& spec, const SequenceShape& shape)
{
    TRAINYARD_TRY(const std::vector<NodeModel> nodes, readNodes(spec, options.hardware));
    TRAINYARD_TRY(const auto measured, measuredSeconds(options.seconds, spec.model));
    TRAINYARD_TRY(const std::vector<PipelineNode> ranks, pipelineNodes(spec, nodes));
    Outcome outcome;
    outcome.hardware = kindsOf(nodes);
    TRAINYARD_TRY(outcome.divisions, divideStages(spec, shape, ranks, measured));
    if (const auto byTime = layersByTime(spec, shape, ranks, measured); !byTime.ok())
        outcome.noTimes = byTime.error();
    WatchedWork work("arranged");
    TRAINYARD_TRY(outcome.arrangements, arrange(spec, shape, nodes, measured,
                                                [&work](double share) { return work.goesOn(share); }));
    return outcome;
}

void print(const ModelSpec& model, const SequenceShape& shape, const Outcome& outcome, bool json)
{
    if (json) {
        QJsonObject document = toJson(outcome);
        document["sequences"] = toJson(shape);
        document["hardware"] = QJsonArray::fromStringList(textsOf(outcome.hardware));
        console::print(QJsonDocument(document));
        return;
    }
    printTables(outcome);
    console::print(shapeText(model, shape));
    console::print("on " + textsOf(outcome.hardware).join(", "));
}

/// Why nothing is written where nothing fits.
Status writeBest(const PartitionOptions& options, const Arrangement& best)
{
    if (!best.fits)
        return refused(best.layerCounts.size() > 1 ? "no number of layers per stage fits every node"
                                                   : "the layout does not fit every node",
                       "set memory.recompute or memory.zero_stage, lower batch.micro, raise layout.tensor or "
                       "layout.pipeline, or use nodes with more memory");
    return options.specOut.empty() ? Status() : writeOutputFile(options.specOut, toJson(best.spec));
}

/// As a specification that is written names it; all stays where nothing was said.
void nameHardware(RunSpec& spec, const std::string& hardware)
{
    for (NodeSpec& node : spec.cluster.nodes)
        node.hardware = hardware.empty() ? node.hardware : specHardwareName(hardware);
}

Result<int> partition(const PartitionOptions& options)
{
    const bool specIsPrinted = isStandardOutput(options.specOut);
    TRAINYARD_TRY_STATUS(checkOutputFile("--spec-out", options.specOut));
    TRAINYARD_TRY_STATUS(checkOnePrinted({{"--spec-out -", specIsPrinted}, {"--json", options.json}}));
    auto [spec, shape, status] = readShapedSpec(options.spec, options.shape, options.json);
    if (status != 0)
        return status;
    nameHardware(spec, options.hardware);
    TRAINYARD_TRY(const auto outcome, outcomeOf(options, spec, shape));
    if (!specIsPrinted)
        print(spec.model, shape, outcome, options.json);
    TRAINYARD_TRY_STATUS(writeBest(options, outcome.arrangements.front()));
    return 0;
}

} // namespace

void addPartitionCommand(CLI::App& app, CommandOutcome& outcome)
{
    auto options = std::make_shared<PartitionOptions>();
    CLI::App* command = app.add_subcommand(
        "partition", "Find the best layers per stage, order of ranks and order of nodes for a layout");
    addSpecOption(*command, options->spec);
    command->add_option("--hardware", options->hardware,
                        "Hardware of every node: preset, calibrated name or JSON file (default: "
                        "cluster.nodes[].hardware, which may differ)");
    command->add_option(
        "--seconds", options->seconds,
        "JSON file with the measured seconds per micro-batch of each part of the model, forward and "
        "backward: {\"embeddings\": 0.01, \"layers\": [0.02, ...], \"head\": 0.03}");
    addShapeOptions(*command, options->shape);
    command->add_option("--spec-out", options->specOut,
                        "Write the best one as a specification; - prints it alone");
    addJsonFlag(*command, options->json);
    command->callback([&outcome, options] { outcome.status = console::exitWith(partition(*options)); });
}

} // namespace trainyard
