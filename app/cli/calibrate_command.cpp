#include <algorithm>

#include <QDate>
#include <QJsonDocument>
#include <QJsonObject>

#include "app/base/display_text.h"
#include "app/cli/commands.h"
#include "app/cli/support/awaited.h"
#include "app/cli/support/console.h"
#include "app/cli/support/desk.h"
#include "app/cli/support/hardware_input.h"
#include "app/cli/support/spec_input.h"
#include "app/hosts/model/host_probes.h"
#include "app/plan/hardware_library.h"
#include "app/plan/measured_run.h"
#include "engine/planner/calibration/probe_json.h"
#include "engine/planner/calibration/refined_node.h"
#include "engine/planner/hardware/hardware_json.h"
#include "engine/planner/hardware/hardware_presets.h"
#include "engine/spec/hardware_name.h"

namespace trainyard {

namespace {

constexpr auto kFooter =
    R"(The hosts should be otherwise idle for the minute this takes. The results are saved under the name in your
data folder and used wherever a plan takes hardware:

  trainyard calibrate spec.json --name lab
  trainyard plan spec.json --hardware lab           step 213 ms (190 ms to 240 ms)
  trainyard search spec.json --hardware lab
  trainyard calibrate --from-run RUN RUN --name lab   refines it with steps of finished runs

or in a specification: cluster.nodes[].hardware = "lab".)";

struct CalibrateOptions {
    std::string spec;
    std::string name; ///< empty: after the hosts, or what the runs say of their nodes
    std::vector<std::string> runs;
    bool json = false;
};

std::string today()
{
    return QDate::currentDate().toString(Qt::ISODate).toStdString();
}

Result<ProbeReport> probe(const RunSpec& spec)
{
    Desk desk;
    HostProbes probes(desk.runs(), spec);
    return console::await<Result<ProbeReport>>(probes);
}

QString linkText(const LinkTable& table)
{
    const LinkPoint& last = table.points.back();
    return QString("%1/s at %2, latency %3 us")
        .arg(displayBytes(last.bandwidth), displayBytes(static_cast<double>(last.size)))
        .arg(1e6 * table.latency, 0, 'f', 1);
}

QList<QStringList> rowsOf(const NodeModel& node)
{
    const DeviceModel& device = node.device;
    const NodeCalibration& calibration = *node.calibration;
    const auto peak = [&](double perSecond) {
        return displayOperations(perSecond * device.productEfficiency);
    };
    QList<QStringList> rows{
        {"hardware", QString::fromStdString(node.name)},
        {"device", QString::fromStdString(device.name)},
        {"products, float32", peak(device.peak.float32)},
        {"products, bfloat16", peak(device.peak.bfloat16)},
        {"products, float16", peak(device.peak.float16)},
        {"memory", displayBytes(device.memoryBandwidth * device.trafficEfficiency) + "/s"},
        {"links within a host", linkText(node.deviceLinks)}};
    if (calibration.hosts.size() > 1)
        rows << QStringList{"network", linkText(node.network)};
    if (calibration.measuredRuns > 0)
        rows << QStringList{"refined by", QString("%1 measured runs").arg(calibration.measuredRuns)};
    const TimeBand band = calibration.bandOf(1);
    rows << QStringList{
        "a step takes",
        QString("%1 to %2 times as long as predicted").arg(band.least, 0, 'f', 2).arg(band.most, 0, 'f', 2)};
    return rows;
}

QJsonObject objectOf(const std::string& json)
{
    return QJsonDocument::fromJson(QByteArray::fromStdString(json)).object();
}

void show(const NodeModel& node, QJsonObject document, bool json)
{
    if (!json)
        return console::print(console::table(rowsOf(node)));
    document["name"] = QString::fromStdString(node.name);
    document["hardware"] = objectOf(toJson(node));
    console::print(QJsonDocument(document));
}

Result<int> calibrateHosts(const CalibrateOptions& options)
{
    const auto [spec, status] = readSpecInput(options.spec, options.json);
    if (status != 0)
        return status;
    TRAINYARD_TRY(const auto report, probe(spec));
    TRAINYARD_TRY(const auto node, keepProbedHardware(deskHardware(), report, options.name, today()));
    show(node, {{"probes", objectOf(toJson(report))}}, options.json);
    return 0;
}

/// What all nodes of all runs are said to be.
Result<std::string> hardwareOf(const std::vector<MeasuredRow>& runs)
{
    TRAINYARD_TRY(const std::string name, hardwareFor(runs.front().spec, {}));
    for (const MeasuredRow& run : runs) {
        TRAINYARD_TRY(const std::string other, hardwareFor(run.spec, {}));
        if (other != name)
            return badInput("the runs were on \"" + name + "\" and on \"" + other + "\"",
                            "refine one kind of node at a time");
    }
    return name;
}

/// Measured runs, each once.
struct RunSteps {
    std::vector<std::string> ids;
    std::vector<MeasuredRow> rows;

    Status add(const std::string& id);
};

Status RunSteps::add(const std::string& id)
{
    if (std::ranges::find(ids, id) != ids.end())
        return {};
    TRAINYARD_TRY(MeasuredRow row, measuredRun(QString::fromStdString(id)));
    ids.push_back(id);
    rows.push_back(std::move(row));
    return {};
}

Result<RunSteps> stepsOf(const std::vector<std::string>& ids)
{
    RunSteps steps;
    for (const std::string& id : ids) {
        TRAINYARD_TRY_STATUS(steps.add(id));
    }
    return steps;
}

/// What corrected the hardware before goes on doing so, as long as it is kept.
void addEarlier(RunSteps& steps, const NodeModel& node)
{
    const auto earlier = node.calibration ? node.calibration->runs : std::vector<std::string>();
    for (const std::string& id : earlier) {
        if (const Status added = steps.add(id); !added.ok())
            console::warn(
                QString("run %1 no longer refines the hardware: %2")
                    .arg(QString::fromStdString(id), QString::fromStdString(added.error().message)));
    }
}

Result<NodeModel> refine(const std::string& name, RunSteps steps)
{
    const HardwareLibrary library = deskHardware();
    TRAINYARD_TRY(NodeModel node, library.find(name));
    addEarlier(steps, node);
    TRAINYARD_TRY(node, refinedNode(std::move(node), steps.rows, today()));
    node.name = name;
    node.calibration->runs = std::move(steps.ids);
    TRAINYARD_TRY_STATUS(library.store(name, node));
    return node;
}

Result<int> calibrateByRuns(const CalibrateOptions& options)
{
    TRAINYARD_TRY(const auto steps, stepsOf(options.runs));
    TRAINYARD_TRY(const auto name,
                  options.name.empty() ? hardwareOf(steps.rows) : Result<std::string>(options.name));
    TRAINYARD_TRY(const auto node, refine(name, steps));
    show(node, {}, options.json);
    return 0;
}

Status checkName(const std::string& name)
{
    if (name.empty() || isHardwareName(name))
        return {};
    return badInput("--name: \"" + name + "\" is not a valid hardware name",
                    "use at most 64 letters, digits and . _ -");
}

Result<int> calibrate(const CalibrateOptions& options)
{
    TRAINYARD_TRY_STATUS(checkName(options.name));
    if (options.runs.empty() && nodePreset(options.name)) // before the minute that probes take
        return badInput("--name: \"" + options.name + "\" is the name of a preset", "choose another name");
    return options.runs.empty() ? calibrateHosts(options) : calibrateByRuns(options);
}

} // namespace

void addCalibrateCommand(CLI::App& app, CommandOutcome& outcome)
{
    auto options = std::make_shared<CalibrateOptions>();
    CLI::App* command = app.add_subcommand(
        "calibrate",
        "Measure the hardware of hosts for plans, by short probes or from the steps of finished runs");
    CLI::Option* spec = command->add_option("SPEC", options->spec,
                                            "Run specification (JSON); every slot of its hosts is probed");
    CLI::Option* runs =
        command
            ->add_option(
                "--from-run", options->runs,
                "Instead of probing: refine the hardware of that name with the measured steps of these runs")
            ->excludes(spec);
    command->add_option("--name", options->name,
                        "Name of the hardware (default: derived from the hosts; --from-run: the hardware of "
                        "the runs' nodes)");
    command->add_flag("--json", options->json, "Print one JSON document: the hardware and every probe");
    command->footer(kFooter);
    command->callback([&outcome, options, spec, runs] {
        if (spec->empty() && runs->empty())
            throw CLI::RequiredError("SPEC");
        outcome.status = console::exitWith(calibrate(*options));
    });
}

} // namespace trainyard
