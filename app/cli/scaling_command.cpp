#include <QJsonArray>
#include <QJsonObject>

#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/desk.h"
#include "app/cli/follow.h"
#include "app/cli/hardware_input.h"
#include "app/cli/planned_shape.h"
#include "app/cli/spec_input.h"
#include "app/models/run_entry.h"
#include "app/models/run_folder.h"
#include "app/models/scaled_specs.h"
#include "app/models/scaling_table.h"
#include "engine/planner/scaling/scaling_curve.h"
#include "remote/target/desk_folders.h"

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
    if (const int status = followRun(desk, runId); status != 0)
        return Error{errorKindFromExitStatus(status).value_or(ErrorKind::Failed),
                     runId.toStdString() + " did not finish",
                     {}};
    TRAINYARD_TRY(const RunSeries series,
                  readRunSeries(QString::fromStdString(deskRunFolder(runId).string())));
    return ScalingPoint{runId, spec.layout.worldSize(), spec.batch.global, recentSequencesPerSecond(series)};
}

void printTable(const QList<ScalingRow>& table)
{
    QList<QStringList> rows{{"ranks", "global batch", "seq/s", "speed-up", "efficiency", "run"}};
    for (const ScalingRow& row : table)
        rows << QStringList{QString::number(row.worldSize),
                            QString::number(row.globalBatch),
                            QString::fromStdString(formatNumber(row.sequencesPerSecond)),
                            QString::number(row.speedup, 'f', 2),
                            QString::number(row.efficiency * 100, 'f', 1) + " %",
                            row.runId};
    console::print(console::table(rows));
}

QJsonArray toJson(const QList<ScalingRow>& table)
{
    QJsonArray array;
    for (const ScalingRow& row : table)
        array << QJsonObject{{"ranks", row.worldSize},
                             {"global_batch", row.globalBatch},
                             {"sequences_per_second", row.sequencesPerSecond},
                             {"speedup", row.speedup},
                             {"efficiency", row.efficiency},
                             {"run", row.runId}};
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

int study(const std::string& file, const std::vector<int>& sizes, Scaling scaling, bool json)
{
    const auto [spec, status] = readSpecInput(file, json);
    if (status != 0)
        return status;
    const auto specs = specsOf(spec, sizes, scaling);
    if (!specs.ok())
        return console::fail(specs.error());
    Desk desk;
    const auto points = measureAll(desk, *specs);
    if (!points.ok())
        return console::fail(points.error());
    const QList<ScalingRow> table = scalingTable(*points);
    if (json)
        console::print(QJsonDocument(toJson(table)));
    else
        printTable(table);
    return 0;
}

void printTable(const std::vector<ScalingStep>& curve)
{
    QList<QStringList> rows{{"ranks", "global batch", "seq/s", "per rank", "efficiency"}};
    for (const ScalingStep& step : curve)
        rows << QStringList{QString::number(step.ranks), QString::number(step.globalBatch),
                            QString::fromStdString(formatNumber(step.sequencesPerSecond)),
                            QString::fromStdString(formatNumber(step.perDevice)),
                            QString::number(step.efficiency * 100, 'f', 1) + " %"};
    console::print(console::table(rows));
}

QJsonArray toJson(const std::vector<ScalingStep>& curve)
{
    QJsonArray array;
    for (const ScalingStep& step : curve)
        array << QJsonObject{{"ranks", step.ranks},
                             {"global_batch", step.globalBatch},
                             {"step_seconds", step.time.seconds},
                             {"sequences_per_second", step.sequencesPerSecond},
                             {"sequences_per_second_per_rank", step.perDevice},
                             {"efficiency", step.efficiency}};
    return array;
}

/// What a study would find on nodes of that kind; nothing runs, and slots do not matter.
int predict(const std::string& file, const std::vector<int>& sizes, Scaling scaling,
            const std::string& hardware, bool json)
{
    const auto [spec, status] = readSpecInput(file, json);
    if (status != 0)
        return status;
    const auto node = readHardwareInput(hardware);
    if (!node.ok())
        return console::fail(node.error());
    const auto curve = scalingCurve(spec, plannedShape(spec.model), *node, sizes, scaling);
    if (!curve.ok())
        return console::fail(curve.error());
    if (json)
        console::print(QJsonDocument(toJson(*curve)));
    else
        printTable(*curve);
    return 0;
}

} // namespace

void addScalingCommand(CLI::App& app, CommandOutcome& outcome)
{
    struct Options {
        std::string spec;
        std::vector<int> ranks;
        std::string predict;
        bool weak = false;
        bool json = false;
    };
    auto o = std::make_shared<Options>();
    CLI::App* command =
        app.add_subcommand("scaling", "A scaling study: the same specification on several world sizes");
    command->add_option("SPEC", o->spec, "Run specification (JSON)")->required();
    command->add_option("--ranks", o->ranks, "World sizes, e.g. 1,2,4")->required()->delimiter(',');
    command->add_flag("--weak", o->weak, "The same work per rank instead of the same global batch");
    command->add_option(
        "--predict", o->predict,
        "Runs nothing: what a study would find on such nodes (a preset of "
        "resources/presets/hardware, or a file like one), with the model's longest sequences");
    command->add_flag("--json", o->json, "One JSON document on standard output");
    command->callback([&outcome, o] {
        const Scaling scaling = o->weak ? Scaling::Weak : Scaling::Strong;
        outcome.status = o->predict.empty() ? study(o->spec, o->ranks, scaling, o->json)
                                            : predict(o->spec, o->ranks, scaling, o->predict, o->json);
    });
}

} // namespace trainyard
