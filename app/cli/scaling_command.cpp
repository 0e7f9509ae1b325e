#include <algorithm>
#include <set>

#include <QJsonArray>
#include <QJsonObject>

#include "app/base/display_text.h"
#include "app/cli/commands.h"
#include "app/cli/support/console.h"
#include "app/cli/support/desk.h"
#include "app/cli/support/follow.h"
#include "app/cli/support/hardware_input.h"
#include "app/cli/support/plan_time.h"
#include "app/cli/support/planned_shape.h"
#include "app/cli/support/report_files.h"
#include "app/cli/support/spec_input.h"
#include "app/plan/scaling_table.h"
#include "app/runs/recorded_run.h"
#include "app/runs/run_database.h"
#include "engine/planner/hardware/node_fit.h"
#include "engine/planner/memory/memory_model.h"
#include "engine/planner/scaling/published_curve.h"
#include "engine/planner/scaling/scaled_layout.h"
#include "engine/planner/scaling/scaling_curve.h"
#include "engine/planner/scaling/studied_phase.h"
#include "engine/spec/limits.h"
#include "engine/spec/spec_json.h"
#include "remote/target/data_dirs.h"

namespace trainyard {

namespace {

Result<QString> launch(Desk& desk, const RunSpec& spec)
{
    TRAINYARD_TRY(QString runId, desk.finish(desk.runs().launch(spec)));
    console::note("run " + runId);
    return runId;
}

/// Waits for the end of one size of the study.
Result<ScalingPoint> measure(Desk& desk, const RunSpec& spec, const QString& runId)
{
    TRAINYARD_TRY(const int status, followRun(desk, runId));
    if (status != 0)
        return Error{errorKindFromExitStatus(status).value_or(ErrorKind::Failed),
                     runId.toStdString() + " did not finish",
                     {}};
    TRAINYARD_TRY(const RunSeries series, readRunSeries(QString::fromStdString(runDir(runId).string())));
    return ScalingPoint{runId,
                        spec.layout.worldSize(),
                        spec.batch.global,
                        recentSequencesPerSecond(series),
                        timeToTarget(spec, series),
                        deskHardware().priceOf(spec)};
}

/// What each size spent until it reached evaluation.target.
void printTargets(const QList<ScalingRow>& table)
{
    QList<QStringList> rows{{"ranks", "target reached", "time", "tokens", "cost"}};
    for (const ScalingRow& row : table) {
        const auto cost = row.costToTarget();
        const QString money = cost ? console::number(*cost) + " " + QString::fromStdString(row.price.currency)
                                   : QString("unknown");
        rows << (row.toTarget ? QStringList{QString::number(row.worldSize),
                                            QString("after step %1").arg(row.toTarget->step),
                                            displaySeconds(row.toTarget->seconds),
                                            displayLarge(row.toTarget->tokens), money}
                              : QStringList{QString::number(row.worldSize), "no", "–", "–", "–"});
    }
    console::print(console::table(rows));
}

void printTable(const QList<ScalingRow>& table)
{
    QList<QStringList> rows{{"ranks", "global batch", "seq/s", "speed-up", "efficiency", "run"}};
    for (const ScalingRow& row : table)
        rows << QStringList{QString::number(row.worldSize),          QString::number(row.globalBatch),
                            console::number(row.sequencesPerSecond), QString::number(row.speedup, 'f', 2),
                            console::percent(row.efficiency),        row.runId};
    console::print(console::table(rows));
    if (std::ranges::any_of(table, [](const ScalingRow& row) { return row.toTarget.has_value(); }))
        printTargets(table);
}

QJsonObject targetJson(const ScalingRow& row)
{
    QJsonObject json{{"step", qint64(row.toTarget->step)},
                     {"value", row.toTarget->value},
                     {"seconds", row.toTarget->seconds},
                     {"tokens", row.toTarget->tokens}};
    if (const auto cost = row.costToTarget()) {
        json["cost"] = *cost;
        json["currency"] = QString::fromStdString(row.price.currency);
    }
    return json;
}

QJsonObject toJson(const ScalingRow& row)
{
    QJsonObject json{{"ranks", row.worldSize},
                     {"global_batch", row.globalBatch},
                     {"sequences_per_second", row.sequencesPerSecond},
                     {"speedup", row.speedup},
                     {"efficiency", row.efficiency},
                     {"run", row.runId}};
    if (row.toTarget)
        json["to_target"] = targetJson(row);
    return json;
}

QJsonArray toJson(const QList<ScalingRow>& table)
{
    QJsonArray array;
    for (const ScalingRow& row : table)
        array << toJson(row);
    return array;
}

/// Every size is checked before the first one starts.
Result<std::vector<RunSpec>> specsOf(const RunSpec& spec, const std::vector<int>& sizes, Scaling scaling)
{
    std::vector<RunSpec> specs;
    for (const int ranks : sizes) {
        TRAINYARD_TRY(RunSpec scaled, scaledCopy(spec, ranks, scaling));
        specs.push_back(std::move(scaled));
    }
    return specs;
}

/// One size after the other, so that they do not share hosts. Jobs of Slurm's are submitted at once and wait
/// in its queue.
Result<QList<ScalingPoint>> measureAll(Desk& desk, const std::vector<RunSpec>& specs)
{
    const bool atOnce = specs.front().launch.launcher == LauncherKind::Slurm;
    QStringList submitted;
    for (std::size_t i = 0; atOnce && i < specs.size(); ++i) {
        TRAINYARD_TRY(const QString runId, launch(desk, specs[i]));
        submitted << runId;
    }
    QList<ScalingPoint> points;
    for (const RunSpec& spec : specs) {
        TRAINYARD_TRY(const QString runId,
                      atOnce ? Result<QString>(submitted[points.size()]) : launch(desk, spec));
        TRAINYARD_TRY(const ScalingPoint point, measure(desk, spec, runId));
        points << point;
    }
    return points;
}

struct ScalingOptions {
    std::string spec;
    ShapeInput shape;
    std::vector<int> ranks;           ///< empty: from one node on, doubled
    std::vector<std::string> reports; ///< files that get the study's report
    std::string hardware;             ///< of the nodes; empty: the specification's
    int nodes = 16;                   ///< of the largest size where no ranks are given
    double bound = 0.8;               ///< of efficiency
    std::optional<double> measured{}; ///< sequences per second of the smallest size
    bool weak = false;
    bool json = false;

    Scaling scaling() const { return weak ? Scaling::Weak : Scaling::Strong; }
};

Status writeReports(const QList<ScalingPoint>& points, const std::vector<std::string>& files)
{
    if (files.empty())
        return {};
    QStringList runs;
    for (const ScalingPoint& point : points)
        runs << point.runId;
    TRAINYARD_TRY(const ReportDocument document, reportOfRuns(runs, {ReportTemplate::Scaling}));
    return writeReportFiles(document, {files.begin(), files.end()});
}

/// The phase of a valid specification that is studied, after notes on what the study leaves out of the run.
Result<RunSpec> studiedIn(const ScalingOptions& options)
{
    const int phase = options.shape.phase.value_or(1) - 1;
    TRAINYARD_TRY(const RunSpec run, readSpec(options.spec));
    for (const std::string& note : studyNotes(run, phase))
        console::note("the study " + QString::fromStdString(note));
    return studiedPhase(run, phase);
}

Result<int> study(const ScalingOptions& options)
{
    const auto [input, status] =
        readSpecInput(options.spec, options.json, SpecUse::Run, options.shape.phase.value_or(1));
    if (status != 0)
        return status;
    TRAINYARD_TRY(const RunSpec spec, studiedIn(options));
    TRAINYARD_TRY(const auto specs, specsOf(spec, options.ranks, options.scaling()));
    Desk desk;
    TRAINYARD_TRY(const auto points, measureAll(desk, specs));
    const QList<ScalingRow> table = scalingTable(points);
    if (options.json)
        console::print(QJsonDocument(toJson(table)));
    else
        printTable(table);
    TRAINYARD_TRY_STATUS(writeReports(points, options.reports));
    return 0;
}

/// What a curve was predicted for.
struct Prediction {
    RunSpec spec;
    SequenceShape shape;
    NodeModel node;
    Scaling scaling = Scaling::Strong;
    std::vector<ScalingStep> curve; ///< ascending ranks
    std::vector<LeftOutSize> leftOut{};
};

/// Whether the ranks of that size have the memory of their nodes (node_fit.h).
bool hasMemory(const Prediction& prediction, int ranks)
{
    auto spec = scaledLayout(prediction.spec, ranks, prediction.scaling);
    if (!spec.ok())
        return false;
    const NodeModel& node = prediction.node;
    spec->launch.device = resolvedDevice(spec->launch.device, node);
    const HostMemory host =
        onHardware({.host = node.name, .ranks = std::min(ranks, node.devices)}, node, spec->launch.device);
    return host.holds(estimateMemory(*spec, prediction.shape, productsOn(*spec, host)).need());
}

void printCurve(const Prediction& prediction)
{
    const Price& price = prediction.node.price;
    QList<QStringList> rows{
        {"ranks", "global batch", "seq/s", "per rank", "efficiency", "cost of 10^6 sequences", "memory"}};
    for (const ScalingStep& step : prediction.curve)
        rows << QStringList{QString::number(step.ranks),
                            QString::number(step.globalBatch),
                            console::number(step.sequencesPerSecond),
                            console::number(step.perDevice),
                            console::percent(step.efficiency),
                            price.perHour > 0 ? console::number(step.costPerMillionSequences) + " " +
                                                    QString::fromStdString(price.currency)
                                              : QString("unknown"),
                            hasMemory(prediction, step.ranks) ? QString("fits") : QString("does not fit")};
    console::print(console::table(rows));
}

void printBound(const std::vector<ScalingStep>& curve, double bound)
{
    const auto below = firstBelow(curve, bound);
    console::print(below == curve.end()
                       ? QString("efficiency stays at %1 or above").arg(console::percent(bound))
                       : QString("efficiency drops below %1 at %2 (%3)")
                             .arg(console::percent(bound), displayCounted(below->ranks, "rank"),
                                  console::percent(below->efficiency)));
}

void printLeftOut(const std::vector<LeftOutSize>& sizes)
{
    for (const LeftOutSize& size : sizes)
        console::print(
            QString("skipped %1: %2")
                .arg(displayCounted(size.ranks, "rank"), QString::fromStdString(size.reason.message)));
}

QString nameOf(Scaling scaling)
{
    return scaling == Scaling::Weak ? "weak" : "strong";
}

void printPublished(const PublishedCurve& curve)
{
    console::print(QString("published, %1 scaling: %2 (%3)")
                       .arg(nameOf(curve.scaling), QString::fromStdString(curve.title),
                            QString::fromStdString(curve.source)));
    if (!curve.assumed.empty())
        console::print("  assumed: " + QString::fromStdString(curve.assumed));
    QList<QStringList> rows{{"ranks", "seq/s", "per rank", "efficiency"}};
    for (const PublishedPoint& point : curve.points)
        rows << QStringList{QString::number(point.devices), console::number(point.sequencesPerSecond),
                            console::number(point.sequencesPerSecond / point.devices),
                            console::percent(point.efficiency)};
    console::print(console::table(rows));
}

QJsonArray sizesJson(const Prediction& prediction)
{
    QJsonArray array;
    for (const ScalingStep& step : prediction.curve)
        array << QJsonObject{{"ranks", step.ranks},
                             {"global_batch", step.globalBatch},
                             {"step_seconds", step.time.seconds},
                             {"sequences_per_second", step.sequencesPerSecond},
                             {"sequences_per_second_per_rank", step.perDevice},
                             {"efficiency", step.efficiency},
                             {"fits", hasMemory(prediction, step.ranks)},
                             {"cost_per_million_sequences", step.costPerMillionSequences}};
    return array;
}

QJsonArray toJson(const std::vector<LeftOutSize>& sizes)
{
    QJsonArray array;
    for (const LeftOutSize& size : sizes)
        array << QJsonObject{{"ranks", size.ranks}, {"reason", QString::fromStdString(size.reason.message)}};
    return array;
}

QJsonObject boundJson(const std::vector<ScalingStep>& curve, double bound)
{
    QJsonObject json{{"efficiency", bound}};
    if (const auto below = firstBelow(curve, bound); below != curve.end())
        json["first_ranks_below"] = below->ranks;
    return json;
}

QJsonObject toJson(const PublishedCurve& curve)
{
    QJsonArray points;
    for (const PublishedPoint& point : curve.points)
        points << QJsonObject{{"ranks", point.devices},
                              {"sequences_per_second", point.sequencesPerSecond},
                              {"efficiency", point.efficiency}};
    return {{"title", QString::fromStdString(curve.title)},
            {"source", QString::fromStdString(curve.source)},
            {"scaling", nameOf(curve.scaling)},
            {"assumed", QString::fromStdString(curve.assumed)},
            {"hardware", QString::fromStdString(curve.hardware)},
            {"points", points}};
}

QJsonObject toJson(const Prediction& prediction, double bound)
{
    QJsonArray published;
    for (const PublishedCurve& other : publishedCurvesOf(prediction.spec.model))
        published << toJson(other);
    QJsonObject json{{"sequences", toJson(prediction.shape)},
                     {"scaling", nameOf(prediction.scaling)},
                     {"sizes", sizesJson(prediction)},
                     {"left_out", toJson(prediction.leftOut)},
                     {"bound", boundJson(prediction.curve, bound)},
                     {"published", published}};
    addHardware(json, prediction.node);
    return json;
}

void print(const Prediction& prediction, double bound)
{
    printCurve(prediction);
    printLeftOut(prediction.leftOut);
    console::print(nameOf(prediction.scaling) + " scaling, " +
                   shapeText(prediction.spec.model, prediction.shape));
    printHardware(prediction.node);
    printBound(prediction.curve, bound);
    for (const PublishedCurve& other : publishedCurvesOf(prediction.spec.model))
        printPublished(other);
}

/// Ascending, each once: efficiency is told against the smallest.
std::vector<int> sizesFor(const ScalingOptions& options, const RunSpec& spec, const NodeModel& node)
{
    if (options.ranks.empty())
        return sizesInNodes(spec, node, options.nodes, options.scaling());
    const std::set<int> sizes(options.ranks.begin(), options.ranks.end());
    return {sizes.begin(), sizes.end()};
}

/// What a study would find on nodes of that kind; nothing runs.
Result<int> predict(const ScalingOptions& options)
{
    const auto [input, shape, status] = readShapedSpec(options.spec, options.shape, options.json);
    if (status != 0)
        return status;
    TRAINYARD_TRY(const RunSpec spec, studiedIn(options));
    TRAINYARD_TRY(const auto node, nodeFor(spec, options.hardware));
    const std::vector<int> sizes = sizesFor(options, spec, node);
    if (sizes.empty())
        return refused(
            "no power of two of nodes holds complete copies of the model and divides its global batch",
            "give the sizes with --ranks, raise --nodes, or scale with --weak");
    TRAINYARD_TRY(const auto curve,
                  scalingCurve(spec, shape, node, sizes, options.scaling(), options.measured));
    Prediction prediction{spec, shape, node, options.scaling(), curve};
    if (options.ranks.empty())
        prediction.leftOut = leftOutSizes(spec, node, options.nodes, options.scaling());
    if (options.json)
        console::print(QJsonDocument(toJson(prediction, options.bound)));
    else
        print(prediction, options.bound);
    return 0;
}

} // namespace

void addScalingCommand(CLI::App& app, CommandOutcome& outcome)
{
    auto o = std::make_shared<ScalingOptions>();
    CLI::App* command = app.add_subcommand(
        "scaling", "Run or predict a scaling study: the same specification on several world sizes");
    addSpecOption(*command, o->spec);
    CLI::Option* ranks = command->add_option("--ranks", o->ranks, "World sizes, e.g. 1,2,4")->delimiter(',');
    command->add_flag("--weak", o->weak, "Keep the work per rank constant instead of the global batch");
    CLI::Option* report =
        command->add_option("--report", o->reports,
                            "File to write the study's report to; its extension selects the format (html, "
                            "pdf, csv, json). May be given several times");
    CLI::Option* predicted =
        command
            ->add_option("--predict", o->hardware,
                         "Predict the study on this hardware instead of running it (preset, calibrated name "
                         "or JSON file; default: cluster.nodes[].hardware)")
            ->expected(0, 1)
            ->excludes(report);
    command
        ->add_option("--nodes", o->nodes,
                     "With --predict: 1, 2, 4, ... up to this many nodes, instead of --ranks (default: 16)")
        ->check(CLI::Range(1, kMaxRanks))
        ->excludes(ranks)
        ->needs(predicted);
    command
        ->add_option("--efficiency", o->bound,
                     "With --predict: show at which size efficiency drops below this (default: 0.8)")
        ->check(CLI::Range(0.0, 1.0))
        ->needs(predicted);
    command
        ->add_option(
            "--measured", o->measured,
            "With --predict: measured sequences per second of the smallest size; the curve starts there")
        ->check(CLI::Range(1e-6, 1e12))
        ->needs(predicted);
    addShapeOptions(*command, o->shape);
    for (const char* option : {"--seq-len", "--max-pred"})
        command->get_option(option)->needs(predicted);
    addJsonFlag(*command, o->json);
    command->footer("Each size trains all steps of the specification; efficiency is relative to the "
                    "smallest. Examples:\n  trainyard scaling spec.json --ranks 1,2,4 --report study.pdf\n  "
                    "trainyard scaling spec.json --predict p4d.24xlarge --nodes 64");
    command->callback([&outcome, o, predicted] {
        const bool predicts = predicted->count() > 0;
        if (!predicts && o->ranks.empty())
            throw CLI::RequiredError("--ranks");
        outcome.status = console::exitWith(predicts ? predict(*o) : study(*o));
    });
}

} // namespace trainyard
