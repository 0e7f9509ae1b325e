#include <map>

#include <QJsonObject>
#include <fmt/format.h>

#include "app/cli/commands.h"
#include "app/cli/support/console.h"
#include "app/cli/support/found_layout_text.h"
#include "app/cli/support/hardware_input.h"
#include "app/cli/support/output_file.h"
#include "app/cli/support/plan_time.h"
#include "app/cli/support/planned_shape.h"
#include "app/cli/support/problem_output.h"
#include "app/cli/support/watched_work.h"
#include "engine/planner/explain/precision_remarks.h"
#include "engine/planner/hardware/node_fit.h"
#include "engine/planner/search/found_spec.h"
#include "engine/planner/search/layout_search.h"
#include "engine/spec/limits.h"
#include "engine/spec/spec_json.h"

namespace trainyard {

namespace {

struct SearchOptions {
    std::string spec;
    std::string hardware;
    std::string objective = "time";
    int nodes = 0; ///< 0: as many as the specification's ranks fill
    ShapeInput shape;
    std::size_t top = 5;
    std::string specOut; ///< empty: no specification is written
    std::size_t write = 1;
    bool json = false;
};

const std::map<std::string, SearchObjective> kObjectives{
    {"time", SearchObjective::Time}, {"cost", SearchObjective::Cost}, {"memory", SearchObjective::Memory}};

SearchRequest requestFor(const SearchOptions& options, const RunSpec& spec, const SequenceShape& shape,
                         const NodeModel& node)
{
    SearchRequest request;
    request.spec = spec;
    request.shape = shape;
    request.node = node;
    request.nodes =
        options.nodes > 0 ? options.nodes : (spec.layout.worldSize() + node.devices - 1) / node.devices;
    request.objective = kObjectives.at(options.objective);
    request.top = options.top;
    return request;
}

/// Ctrl+C ends it; what takes longer than a moment says how far it is.
Result<std::vector<FoundLayout>> searchWatched(SearchRequest request)
{
    WatchedWork work("searched");
    request.goesOn = [&work](double share) { return work.goesOn(share); };
    return searchLayouts(request);
}

Status writeSpec(const SearchOptions& options, const SearchRequest& request,
                 const std::vector<FoundLayout>& layouts, const std::string& hardware)
{
    if (options.specOut.empty())
        return {};
    if (options.write > layouts.size())
        return badInput(fmt::format("--write {}: only {} were found", options.write, layouts.size()));
    const RunSpec spec = foundSpec(request, layouts[options.write - 1], specHardwareName(hardware));
    TRAINYARD_TRY_STATUS(writeOutputFile(options.specOut, toJson(spec)));
    if (spec.cluster.nodes.size() > request.spec.cluster.nodes.size() &&
        spec.launch.launcher != LauncherKind::Slurm)
        console::note(
            QString("%1: name the hosts %2 to %3 before you launch it")
                .arg(QString::fromStdString(options.specOut),
                     QString::fromStdString(spec.cluster.nodes[request.spec.cluster.nodes.size()].host),
                     QString::fromStdString(spec.cluster.nodes.back().host)));
    return {};
}

void print(const SearchRequest& request, const std::vector<FoundLayout>& layouts, bool json)
{
    if (json) {
        QJsonObject document{{"sequences", toJson(request.shape)},
                             {"layouts", foundLayoutJson(request, layouts)}};
        addHardware(document, request.node);
        console::print(QJsonDocument(document));
        return;
    }
    console::print(foundLayoutText(request, layouts));
    console::print(shapeText(request.spec.model, request.shape));
    printHardware(request.node);
}

Diagnostics remarksOn(const SearchRequest& request)
{
    const NodeModel& node = request.node;
    const DeviceKind device = resolvedDevice(request.spec.launch.device, node);
    return precisionRemarks(request.spec,
                            {onHardware({.host = node.name, .ranks = node.devices}, node, device)});
}

Result<int> search(const SearchOptions& options)
{
    const bool specIsPrinted = isStandardOutput(options.specOut);
    TRAINYARD_TRY_STATUS(checkOutputFile("--spec-out", options.specOut));
    TRAINYARD_TRY_STATUS(checkOnePrinted({{"--spec-out -", specIsPrinted}, {"--json", options.json}}));
    const auto [spec, shape, status] =
        readShapedSpec(options.spec, options.shape, options.json, SpecUse::Search);
    if (status != 0)
        return status;
    const auto hardware = hardwareFor(spec, options.hardware);
    TRAINYARD_TRY(const auto node, nodeFor(spec, options.hardware));
    const SearchRequest request = requestFor(options, spec, shape, node);
    TRAINYARD_TRY(const auto layouts, searchWatched(request));
    if (!specIsPrinted)
        print(request, layouts, options.json);
    warn(options.spec, remarksOn(request));
    TRAINYARD_TRY_STATUS(writeSpec(options, request, layouts, *hardware));
    return 0;
}

} // namespace

void addSearchCommand(CLI::App& app, CommandOutcome& outcome)
{
    auto options = std::make_shared<SearchOptions>();
    CLI::App* command = app.add_subcommand(
        "search", "Find the best layouts of a model on one kind of node, without running anything");
    command->add_option("SPEC", options->spec, "Run specification (JSON): its model and global batch")
        ->required();
    command->add_option(
        "--hardware", options->hardware,
        "Hardware of the nodes: preset, calibrated name or JSON file (default: cluster.nodes[].hardware)");
    command
        ->add_option("--nodes", options->nodes,
                     "Number of nodes (default: as many as the specification's ranks fill)")
        ->check(CLI::Range(1, kMaxRanks));
    addShapeOptions(*command, options->shape);
    command->add_option("--objective", options->objective, "time, cost or memory (default: time)")
        ->check(CLI::IsMember(kObjectives));
    command->add_option("--top", options->top, "Number of layouts to show (default: 5)")
        ->check(CLI::Range(1, 100));
    CLI::Option* file = command->add_option(
        "--spec-out", options->specOut,
        "Write one of the layouts as a specification for plan and launch; - prints it alone");
    command->add_option("--write", options->write, "Which one --spec-out writes (default: 1, the best)")
        ->check(CLI::Range(1, 100))
        ->needs(file);
    addJsonFlag(*command, options->json);
    command->callback([&outcome, options] { outcome.status = console::exitWith(search(*options)); });
}

} // namespace trainyard
