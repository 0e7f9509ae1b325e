#include "app/base/display_text.h"
#include "app/cli/commands.h"
#include "app/cli/support/awaited.h"
#include "app/cli/support/console.h"
#include "app/cli/support/desk.h"
#include "app/cli/support/output_file.h"
#include "app/monitor/model/trace_recorder.h"
#include "app/runs/recorded_run.h"
#include "remote/launch/desk_run.h"
#include "remote/target/data_dirs.h"

namespace trainyard {

namespace {

struct TraceOptions {
    std::string run;
    int steps = 5;
    std::string out = "trace.json";
};

/// By rank: mpirun fills the hosts in order, slot by slot.
QStringList hostsByRank(const RunSpec& spec)
{
    QStringList hosts;
    for (const NodeSpec& node : spec.cluster.nodes)
        hosts += QStringList(node.slotCount, QString::fromStdString(node.host));
    return hosts;
}

/// By what its head says: a rank that was killed leaves its ring behind.
Status checkAtWork(Desk& desk, const DeskRun& run)
{
    for (const HostRun& known : desk.listRuns(run.head())) {
        if (known.id == run.id && isFinal(known.state))
            return refused("the run " + run.id.toStdString() + " has ended", "record while it is running");
    }
    return {};
}

Status record(TraceRecorder& recording, int steps)
{
    console::Awaited<Status> answer;
    answer.onInterrupt([&answer] { answer.set(cancelled("interrupted")); });
    QObject::connect(&recording, &TraceRecorder::progress, answer.context(), [steps](int done) {
        console::transient(QStringLiteral("recorded %1 of %2 steps").arg(done).arg(steps));
    });
    QObject::connect(&recording, &TraceRecorder::finished, answer.context(),
                     [&answer](const Status& status) { answer.set(status); });
    recording.start();
    return answer.wait();
}

Status trace(const TraceOptions& options)
{
    TRAINYARD_TRY_STATUS(checkOutputFile("--out", options.out));
    TRAINYARD_TRY(const DeskRun run, loadDeskRun(QString::fromStdString(options.run)));
    TRAINYARD_TRY(const RunFacts facts, readRunFacts(QString::fromStdString(runDir(run.id).string())));
    const RunSpec* spec = facts.specNow();
    if (!spec)
        return badInput("the run " + run.id.toStdString() + " is not a training run", "name a training run");
    Desk desk;
    for (const QString& host : run.hosts)
        TRAINYARD_TRY_STATUS(desk.reach(host));
    TRAINYARD_TRY_STATUS(checkAtWork(desk, run));
    TraceRecorder recording([&](int rank, const QObject* context,
                                auto done) { desk.runs().readRing(run.id, rank, context, std::move(done)); },
                            spec->layout.worldSize(), options.steps);
    TRAINYARD_TRY_STATUS(record(recording, options.steps));
    const CollectiveTrace& known = recording.trace();
    TRAINYARD_TRY_STATUS(writeOutputFile(options.out, known.toChromeTrace(hostsByRank(*spec)).toStdString()));
    const QString operations = known.size() == 1
                                   ? QStringLiteral("1 collective or message")
                                   : QStringLiteral("%1 collectives and messages").arg(known.size());
    console::note(QStringLiteral("steps %1 to %2 of %3: %4, %5")
                      .arg(known.firstStep())
                      .arg(known.lastStep())
                      .arg(run.id, displayCounted(qint64(known.passCount()), "pass"), operations));
    if (known.overwritten() > 0)
        console::warn(
            QStringLiteral("%1 more were overwritten before they could be read: the steps are too short")
                .arg(known.overwritten()));
    printWritten(options.out);
    return {};
}

} // namespace

void addTraceCommand(CLI::App& app, CommandOutcome& outcome)
{
    auto o = std::make_shared<TraceOptions>();
    CLI::App* command = app.add_subcommand(
        "trace", "Record the passes and collectives of every rank of a run, when and for how long");
    command->add_option("RUN", o->run, "Run id; it must be running")->required();
    command->add_option("--steps", o->steps, "Number of complete steps to record")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    command->add_option("--out", o->out, "File to write, replaced if it exists; - writes to standard output")
        ->capture_default_str();
    command->footer(
        "The run is not disturbed: the trace is read from the flight recorder that every rank keeps anyway. "
        "The file is\nin Chrome's tracing format; open it in https://ui.perfetto.dev or chrome://tracing. It "
        "has one process per rank,\nwith a track of its forward and backward passes and updates, step by "
        "step, and a track per group of ranks.\n\n  trainyard trace RUN --steps 5 --out trace.json");
    command->callback([&outcome, o] { outcome.status = console::exitWith(trace(*o)); });
}

} // namespace trainyard
