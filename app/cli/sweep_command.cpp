#include <optional>
#include <random>
#include <vector>

#include <QDateTime>
#include <QJsonArray>
#include <QJsonObject>

#include "app/base/field_label.h"
#include "app/cli/commands.h"
#include "app/cli/support/console.h"
#include "app/cli/support/desk.h"
#include "app/cli/support/history.h"
#include "app/cli/support/spec_input.h"
#include "engine/spec/sweep.h"

namespace trainyard {

namespace {

constexpr auto kSweepFooter =
    R"(Each combination of the values is a run with the tag of the sweep, which waits on its hosts until their GPUs or cores are free:
they go on one after the other with this computer switched off. The window compares them: search tag:SWEEP in Compare.
  trainyard sweep spec.json --vary optimizer.learning_rate=1e-3,3e-4 --vary optimizer.kind=adamw,lamb
  trainyard sweep spec.json --vary optimizer.learning_rate=1e-4..1e-2 --random 12
  trainyard sweep spec.json --vary model.preset=bert-tiny,bert-mini --dry-run
  trainyard runs --search tag:SWEEP --csv)";

struct SweepArguments {
    std::string spec;
    std::vector<std::string> variations;
    int random = 0; ///< runs to draw; 0 = every combination
    std::optional<std::uint64_t> seed{};
    bool dryRun = false;
    bool json = false;
};

Result<std::vector<SweepPoint>> pointsOf(const SweepArguments& arguments, const RunSpec& spec)
{
    std::vector<Variation> variations;
    for (const std::string& text : arguments.variations) {
        TRAINYARD_TRY(Variation variation, parseVariation(text));
        variations.push_back(std::move(variation));
    }
    if (arguments.random == 0)
        return gridSweep(spec, variations);
    const std::uint64_t seed = arguments.seed.value_or(std::random_device()());
    console::note(QObject::tr("seed %1").arg(seed));
    return randomSweep(spec, variations, arguments.random, seed);
}

/// "bert-tiny-3" of a sweep of "bert-tiny"; it waits until its hosts are free, but for Slurm, which has a
/// queue.
RunSpec runOf(const SweepPoint& point, std::size_t number)
{
    RunSpec spec = point.spec;
    spec.name += "-" + std::to_string(number + 1);
    spec.launch.waitForDevices = spec.launch.launcher != LauncherKind::Slurm;
    return spec;
}

QString newSweepId()
{
    return QStringLiteral("sweep-%1-%2")
        .arg(QDateTime::currentDateTimeUtc().toString(QStringLiteral("yyyyMMddTHHmmss")))
        .arg(std::random_device()() & 0xffff, 4, 16, QLatin1Char('0'));
}

QStringList textsOf(const SweepPoint& point)
{
    QStringList texts;
    for (const FieldChange& change : point.changes)
        texts << QString::fromStdString(change.value);
    return texts;
}

void printPoints(const std::vector<SweepPoint>& points, const QStringList& runs)
{
    QStringList head{runs.isEmpty() ? QStringLiteral("#") : QStringLiteral("run")};
    for (const FieldChange& change : points.front().changes)
        head << fieldLabel(QString::fromStdString(change.path));
    QList<QStringList> rows{head};
    for (std::size_t i = 0; i < points.size(); ++i)
        rows << QStringList{runs.isEmpty() ? QString::number(i + 1) : runs[qsizetype(i)]} +
                    textsOf(points[i]);
    console::print(console::table(rows));
}

QJsonObject settingsOf(const SweepPoint& point)
{
    QJsonObject settings;
    for (const FieldChange& change : point.changes)
        settings[QString::fromStdString(change.path)] = QString::fromStdString(change.value);
    return settings;
}

QJsonDocument documentOf(const QString& sweep, const std::vector<SweepPoint>& points, const QStringList& runs)
{
    QJsonArray settings;
    for (const SweepPoint& point : points)
        settings << settingsOf(point);
    return QJsonDocument(
        QJsonObject{{"sweep", sweep}, {"runs", QJsonArray::fromStringList(runs)}, {"settings", settings}});
}

Status tag(const QStringList& runs, const QString& sweep)
{
    TRAINYARD_TRY(const auto history, History::open());
    for (const QString& run : runs) {
        TRAINYARD_TRY(const RunEntry entry, history->find(run.toStdString()));
        TRAINYARD_TRY_STATUS(history->database().setTags(run, entry.tags + QStringList{sweep}));
    }
    return {};
}

/// What has been launched stays when a later launch fails, and is named: it may be running.
Result<QStringList> launchAll(const std::vector<SweepPoint>& points, const QString& sweep)
{
    Desk desk;
    QStringList runs;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const Result<QString> run = desk.finish(desk.runs().launch(runOf(points[i], i)));
        if (!run.ok()) {
            TRAINYARD_TRY_STATUS(tag(runs, sweep));
            Error error = run.error();
            error.message =
                QObject::tr("run %1 of %2: ").arg(i + 1).arg(points.size()).toStdString() + error.message;
            if (!runs.isEmpty())
                console::note(QObject::tr("already launched: %1; stop one with `trainyard stop RUN`")
                                  .arg(runs.join(QStringLiteral(", "))));
            return error;
        }
        runs << *run;
        console::note(QObject::tr("run %1 (%2 of %3)").arg(*run).arg(i + 1).arg(points.size()));
    }
    TRAINYARD_TRY_STATUS(tag(runs, sweep));
    return runs;
}

Result<int> sweep(const SweepArguments& arguments)
{
    const auto [spec, status] = readSpecInput(arguments.spec, arguments.json);
    if (status != 0)
        return status;
    TRAINYARD_TRY(const auto points, pointsOf(arguments, spec));
    const QString id = newSweepId();
    QStringList runs;
    if (!arguments.dryRun) {
        TRAINYARD_TRY(runs, launchAll(points, id));
    }
    if (arguments.json) {
        console::print(documentOf(arguments.dryRun ? QString() : id, points, runs));
        return 0;
    }
    printPoints(points, runs);
    if (!arguments.dryRun)
        console::print(
            QObject::tr(
                "\nTo list these runs: `trainyard runs --search tag:%1`, or search for tag:%1 in the window")
                .arg(id));
    return 0;
}

} // namespace

void addSweepCommand(CLI::App& app, CommandOutcome& outcome)
{
    auto arguments = std::make_shared<SweepArguments>();
    CLI::App* command =
        app.add_subcommand("sweep", "Launch a run for each combination of values of some fields")
            ->footer(kSweepFooter);
    addSpecOption(*command, arguments->spec);
    command
        ->add_option("--vary", arguments->variations,
                     "FIELD=V1,V2,... or, with --random, FIELD=LOW..HIGH; may be repeated")
        ->required()
        ->allow_extra_args(false);
    command
        ->add_option("--random", arguments->random, "Draw this many runs instead of taking every combination")
        ->check(CLI::PositiveNumber);
    command->add_option("--seed", arguments->seed, "Seed of --random (default: drawn, and printed)");
    command->add_flag("--dry-run", arguments->dryRun, "Only list the runs");
    addJsonFlag(*command, arguments->json);
    command->callback([&outcome, arguments] { outcome.status = console::exitWith(sweep(*arguments)); });
}

} // namespace trainyard
