#include <QEventLoop>
#include <QJsonArray>
#include <QJsonObject>

#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/desk.h"
#include "app/cli/follow.h"
#include "app/cli/run_words.h"
#include "app/cli/spec_input.h"

namespace trainyard {

namespace {

int launch(const std::string& file, const std::string& host, bool follow)
{
    auto [spec, status] = readSpecInput(file);
    if (status != 0)
        return status;
    if (!host.empty())
        spec.cluster.nodes = {{host, spec.layout.worldSize(), 0}};
    Desk desk;
    const auto run = desk.finish(desk.runs().launch(spec));
    if (!run.ok())
        return console::fail(run.error());
    console::print(*run);
    return follow ? followRun(desk, *run) : 0;
}

/// What a host says of its runs, once it has answered; empty when it cannot be reached.
QList<HostRun> askHost(Desk& desk, const QString& host)
{
    QList<HostRun> answer;
    if (const Status reached = desk.reach(host, std::chrono::seconds(10)); !reached.ok()) {
        console::note(QString::fromStdString(reached.error().text()));
        return answer;
    }
    QEventLoop loop;
    desk.runs().listRuns(host, &loop, [&](const Result<QList<HostRun>>& runs) {
        if (runs.ok())
            answer = *runs;
        else
            console::note(QString::fromStdString(runs.error().text()));
        loop.quit();
    });
    loop.exec();
    return answer;
}

struct ListedRun {
    DeskRun run;
    QString state = "unknown";
    qint64 step = 0;
    qint64 steps = 0;
};

QList<ListedRun> listRuns()
{
    Desk desk;
    QMap<QString, QList<HostRun>> byHost;
    QList<ListedRun> listed;
    for (const DeskRun& run : deskRuns()) {
        if (!byHost.contains(run.head()))
            byHost[run.head()] = askHost(desk, run.head());
        ListedRun entry{run};
        for (const HostRun& known : byHost[run.head()]) {
            if (known.id == run.id) {
                entry.state = QString::fromUtf8(nameOf(known.state).data());
                entry.step = known.step;
                entry.steps = known.steps;
            }
        }
        listed << entry;
    }
    return listed;
}

int printRuns(bool json)
{
    QJsonArray array;
    QList<QStringList> rows{{"run", "kind", "state", "step", "hosts"}};
    for (const ListedRun& entry : listRuns()) {
        const QString kind = entry.run.kind == RunKind::Train ? "train" : "prepare";
        rows << QStringList{entry.run.id, kind, entry.state,
                            QString("%1/%2").arg(entry.step).arg(entry.steps), entry.run.hosts.join(", ")};
        array << QJsonObject{{"run", entry.run.id},
                             {"name", entry.run.name},
                             {"kind", kind},
                             {"state", entry.state},
                             {"step", entry.step},
                             {"steps", entry.steps},
                             {"attempt", static_cast<qint64>(entry.run.attempt)},
                             {"hosts", QJsonArray::fromStringList(entry.run.hosts)}};
    }
    if (json)
        console::print(QJsonDocument(array));
    else
        console::print(rows.size() > 1 ? console::table(rows)
                                       : QString("No runs yet. `trainyard launch SPEC` starts one."));
    return 0;
}

int attach(const std::string& runId, const std::string& host)
{
    Desk desk;
    const QString id = QString::fromStdString(runId);
    if (!loadDeskRun(id).ok()) {
        if (host.empty())
            return console::fail(badInput("this desk does not know the run " + runId,
                                          "name the host that it is on: --host HOST"));
        const auto attached = desk.finish(desk.runs().attach(QString::fromStdString(host), id));
        if (!attached.ok())
            return console::fail(attached.error());
    }
    return followRun(desk, id);
}

/// A run as its head tells it; nothing when the head does not answer.
std::optional<HostRun> lookUp(Desk& desk, const QString& runId)
{
    const auto run = loadDeskRun(runId);
    if (!run.ok() || !desk.reach(run->head()).ok())
        return std::nullopt;
    for (const HostRun& known : askHost(desk, run->head())) {
        if (known.id == runId)
            return known;
    }
    return std::nullopt;
}

void tellStop(const QString& runId, const std::optional<HostRun>& before, const std::optional<HostRun>& after)
{
    if (!after)
        return console::note(runId + " is stopped; no process is left on any host.");
    const QString where =
        after->steps > 0 ? QString(" at step %1 of %2").arg(after->step).arg(after->steps) : "";
    if (before && isFinal(before->state))
        console::note(QString("%1 was over already: it %2%3. No process is left on any host.")
                          .arg(runId, wordsFor(after->state), where));
    else
        console::note(QString("%1 stopped%2; no process is left on any host.").arg(runId, where));
}

int stop(const std::string& runId, const std::string& grace, bool now)
{
    StopOptions options;
    options.checkpoint = !now;
    if (!grace.empty()) {
        const auto duration = parseDuration(grace);
        if (!duration.ok())
            return console::fail(duration.error().in("--grace"));
        options.grace = *duration;
    }
    Desk desk;
    const QString id = QString::fromStdString(runId);
    const auto before = lookUp(desk, id);
    const auto stopped = desk.finish(desk.runs().stop(id, options));
    if (!stopped.ok())
        return console::fail(stopped.error());
    tellStop(id, before, lookUp(desk, id));
    return 0;
}

int checkpoint(const std::string& runId)
{
    Desk desk;
    const QString id = QString::fromStdString(runId);
    std::optional<Status> answer;
    QEventLoop loop;
    desk.runs().requestCheckpoint(id, &loop, [&](const Status& status) {
        answer = status;
        loop.quit();
    });
    if (!answer)
        loop.exec();
    if (!answer->ok())
        return console::fail(answer->error());
    console::note(id + " publishes a checkpoint after its present step and goes on.");
    return 0;
}

int resume(const std::string& runId, bool follow)
{
    Desk desk;
    const auto run = desk.finish(desk.runs().resume(QString::fromStdString(runId)));
    if (!run.ok())
        return console::fail(run.error());
    console::print(*run);
    return follow ? followRun(desk, *run) : 0;
}

int logs(const std::string& runId, int rank, qint64 bytes)
{
    Desk desk;
    const auto run = loadDeskRun(QString::fromStdString(runId));
    if (!run.ok())
        return console::fail(run.error());
    for (const QString& host : run->hosts) {
        if (const Status reached = desk.reach(host); !reached.ok())
            return console::fail(reached.error());
    }
    int status = 0;
    QEventLoop loop;
    desk.runs().readLog(run->id, rank, -bytes, bytes, &loop, [&](const Result<LogPiece>& log) {
        if (log.ok()) {
            for (const QString& line : QString::fromUtf8(log->bytes).split('\n'))
                console::print(console::harmless(line));
        } else {
            status = console::fail(log.error());
        }
        loop.quit();
    });
    loop.exec();
    return status;
}

} // namespace

void addRunCommands(CLI::App& app, CommandOutcome& outcome)
{
    struct Options {
        std::string spec;
        std::string run;
        std::string host;
        std::string grace;
        bool follow = false;
        bool now = false;
        bool json = false;
        int rank = 0;
        qint64 bytes = 65536;
    };
    auto o = std::make_shared<Options>();

    CLI::App* command = app.add_subcommand("launch", "Deploy the engine and start a run; prints its id");
    command->add_option("SPEC", o->spec, "Run specification (JSON)")->required();
    command->add_option("--host", o->host, "Run on this host instead of those of the specification");
    command->add_flag("--follow", o->follow, "Watch until it ends");
    command->callback([&outcome, o] { outcome.status = launch(o->spec, o->host, o->follow); });

    command = app.add_subcommand("runs", "The runs that this desk knows, with their state");
    command->add_flag("--json", o->json, "One JSON document on standard output");
    command->callback([&outcome, o] { outcome.status = printRuns(o->json); });

    command = app.add_subcommand("attach", "Follow a run, also one that another desk started");
    command->add_option("RUN", o->run, "Run id")->required();
    command->add_option("--host", o->host, "Host it runs on, when this desk does not know the run");
    command->callback([&outcome, o] { outcome.status = attach(o->run, o->host); });

    command = app.add_subcommand("stop", "Stop a run after a checkpoint; returns when no process is left");
    command->add_option("RUN", o->run, "Run id")->required();
    command->add_option("--grace", o->grace,
                        "Time to finish the step before it is killed, e.g. --grace \"30 s\"");
    command->add_flag("--now", o->now, "Kill it at once, without a checkpoint");
    command->callback([&outcome, o] { outcome.status = stop(o->run, o->grace, o->now); });

    command =
        app.add_subcommand("checkpoint", "Publish a checkpoint after the present step; the run goes on");
    command->add_option("RUN", o->run, "Run id")->required();
    command->callback([&outcome, o] { outcome.status = checkpoint(o->run); });

    command = app.add_subcommand("resume", "Go on from the last checkpoint");
    command->add_option("RUN", o->run, "Run id")->required();
    command->add_flag("--follow", o->follow, "Watch until it ends");
    command->callback([&outcome, o] { outcome.status = resume(o->run, o->follow); });

    command = app.add_subcommand("logs", "The end of a rank's log");
    command->add_option("RUN", o->run, "Run id")->required();
    command->add_option("--rank", o->rank, "Global rank")->capture_default_str();
    command->add_option("--bytes", o->bytes, "At most this much")->capture_default_str();
    command->callback([&outcome, o] { outcome.status = logs(o->run, o->rank, o->bytes); });
}

} // namespace trainyard
