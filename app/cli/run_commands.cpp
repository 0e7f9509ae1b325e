#include <QTimer>

#include "app/cli/commands.h"
#include "app/cli/support/awaited.h"
#include "app/cli/support/console.h"
#include "app/cli/support/desk.h"
#include "app/cli/support/follow.h"
#include "app/cli/support/spec_input.h"
#include "engine/base/option_checks.h"
#include "engine/base/standard_streams.h"

namespace trainyard {

namespace {

constexpr int kLogPauseMs = 500;                // between looks at a log that does not grow
constexpr qsizetype kMaxLineLength = 64 * 1024; // bytes; a longer one is printed in parts

Result<int> launch(const std::string& file, const std::string& host, bool wait, SendData sendData,
                   bool follow)
{
    auto [spec, status] = readSpecInput(file);
    if (status != 0)
        return status;
    if (!host.empty())
        spec.cluster.nodes = {{host, spec.layout.worldSize(), 0}};
    spec.launch.waitForDevices = spec.launch.waitForDevices || wait;
    Desk desk;
    TRAINYARD_TRY(const auto run, desk.finish(desk.runs().launch(spec, sendData)));
    console::print(run);
    return follow ? followRun(desk, run) : 0;
}

/// Makes the run known to this desk; one that was attached to be looked at is attached again to act on it.
Status makeKnown(Desk& desk, const QString& runId, const QString& host, RunAccess access)
{
    const auto known = loadDeskRun(runId);
    if (known.ok() && (known->access == access || access == RunAccess::ReadOnly))
        return {};
    if (!known.ok() && host.isEmpty())
        return badInput("there is no run " + runId.toStdString(), "name its host: --host HOST");
    const auto attached =
        desk.finish(desk.runs().attach(host.isEmpty() ? known->head() : host, runId, access));
    return attached.ok() ? Status() : Status(attached.error());
}

Result<int> attach(const std::string& runId, const std::string& host, bool readOnly)
{
    TargetOptions options;
    options.readOnly = readOnly;
    Desk desk(options);
    const QString id = QString::fromStdString(runId);
    TRAINYARD_TRY_STATUS(
        makeKnown(desk, id, QString::fromStdString(host), readOnly ? RunAccess::ReadOnly : RunAccess::Full));
    return followRun(desk, id);
}

/// A run as its head tells it; nothing when the head does not answer.
std::optional<HostRun> lookUp(Desk& desk, const QString& runId)
{
    const auto run = loadDeskRun(runId);
    if (!run.ok() || !desk.reach(run->head()).ok())
        return std::nullopt;
    for (const HostRun& known : desk.listRuns(run->head())) {
        if (known.id == runId)
            return known;
    }
    return std::nullopt;
}

void printStop(const QString& runId, const std::optional<HostRun>& before,
               const std::optional<HostRun>& after)
{
    if (!after)
        return console::note(runId + " is stopped; no process is left on any host.");
    const QString where =
        after->steps > 0 ? QString(" at step %1 of %2").arg(after->step).arg(after->steps) : "";
    if (before && isFinal(before->state))
        console::note(QString("%1 had already ended: it %2%3. No process is left on any host.")
                          .arg(runId, wordsFor(after->state), where));
    else
        console::note(QString("%1 stopped%2; no process is left on any host.").arg(runId, where));
}

Status stop(const std::string& runId, const std::string& grace, bool now)
{
    StopOptions options;
    options.checkpoint = !now;
    if (!grace.empty()) {
        const auto duration = parseDuration(grace);
        if (!duration.ok())
            return duration.error().in("--grace");
        options.grace = *duration;
    }
    Desk desk;
    const QString id = QString::fromStdString(runId);
    const auto before = lookUp(desk, id);
    TRAINYARD_TRY_STATUS(desk.finish(desk.runs().stop(id, options)));
    printStop(id, before, lookUp(desk, id));
    return {};
}

Status checkpoint(const std::string& runId)
{
    Desk desk;
    const QString id = QString::fromStdString(runId);
    console::Awaited<Status> answer;
    desk.runs().requestCheckpoint(id, answer.context(), [&](const Status& status) { answer.set(status); });
    TRAINYARD_TRY_STATUS(answer.wait());
    console::note(id + " writes a checkpoint after the current step and continues.");
    return {};
}

/// Prints a rank's log from `offset` on (negative = from the end), and with `follow` the lines added to it.
class LogPrinter {
public:
    LogPrinter(Desk& desk, const QString& runId, int rank) : m_desk(desk), m_runId(runId), m_rank(rank) {}

    /// The exit status.
    int print(qint64 offset, qint64 bytes, bool follow)
    {
        m_status.onInterrupt([this] { m_status.set(130); });
        read(offset, bytes, follow);
        const int status = m_status.wait();
        if (!m_line.isEmpty())
            console::print(QString::fromUtf8(m_line));
        return status;
    }

private:
    void read(qint64 offset, qint64 bytes, bool follow)
    {
        m_desk.runs().readLog(m_runId, m_rank, offset, bytes, m_status.context(),
                              [this, bytes, follow](const Result<LogPiece>& piece) {
                                  if (!piece.ok())
                                      return m_status.set(console::fail(piece.error()));
                                  show(piece->bytes);
                                  if (!follow || !outputStatus().ok())
                                      return m_status.set(0);
                                  const qint64 next = piece->offset + piece->bytes.size();
                                  QTimer::singleShot(piece->bytes.isEmpty() ? kLogPauseMs : 0,
                                                     m_status.context(),
                                                     [this, next, bytes] { read(next, bytes, true); });
                              });
    }
    /// Whole lines; the rest of the last one waits.
    void show(const QByteArray& bytes)
    {
        m_line += bytes;
        for (qsizetype end = 0; (end = m_line.indexOf('\n')) >= 0 || m_line.size() > kMaxLineLength;) {
            const qsizetype size = end >= 0 ? end : kMaxLineLength;
            console::print(QString::fromUtf8(m_line.left(size)));
            m_line.remove(0, end >= 0 ? size + 1 : size);
        }
    }

    Desk& m_desk;
    QString m_runId;
    int m_rank;
    QByteArray m_line;
    console::Awaited<int> m_status; ///< exit status
};

Result<int> logs(const std::string& runId, int rank, qint64 bytes, bool follow)
{
    Desk desk;
    TRAINYARD_TRY(const auto run, loadDeskRun(QString::fromStdString(runId)));
    for (const QString& host : run.hosts)
        TRAINYARD_TRY_STATUS(desk.reach(host));
    return LogPrinter(desk, run.id, rank).print(-bytes, bytes, follow);
}

} // namespace

void addRunCommands(CLI::App& app, CommandOutcome& outcome)
{
    struct Options {
        std::string spec;
        std::string run;
        std::string host;
        std::string grace;
        bool sendData = false;
        bool follow = false;
        bool wait = false;
        bool now = false;
        bool readOnly = false;
        int rank = 0;
        qint64 bytes = 65536;
    };
    auto o = std::make_shared<Options>();

    CLI::App* command = app.add_subcommand("launch", "Deploy the engine and start a run; prints its id");
    addSpecOption(*command, o->spec);
    command->add_option("--host", o->host, "Run on this host instead of those of the specification");
    command->add_flag("--wait", o->wait,
                      "Begin when nobody else uses the GPUs or cores that the ranks need; until then the run "
                      "is pending, also without this computer");
    command->add_flag("--send-data", o->sendData,
                      "Send the data sets that hosts lack, from this computer or another host of the run");
    addFollowFlag(*command, o->follow);
    command->callback([&outcome, o] {
        const SendData sendData = o->sendData ? SendData::Send : SendData::Refuse;
        outcome.status = console::exitWith(launch(o->spec, o->host, o->wait, sendData, o->follow));
    });

    command = app.add_subcommand("attach", "Follow a run, including one launched from another computer");
    addRunOption(*command, o->run);
    command->add_option("--host", o->host, "Host it runs on, if the run was launched elsewhere");
    command->add_flag("--read-only", o->readOnly, "Read-only: the host's agent refuses every change");
    command->callback(
        [&outcome, o] { outcome.status = console::exitWith(attach(o->run, o->host, o->readOnly)); });

    command = app.add_subcommand("stop", "Stop a run after a checkpoint; returns when no process is left");
    addRunOption(*command, o->run);
    command->add_option("--grace", o->grace,
                        "Time to finish the step before it is killed, e.g. --grace \"30 s\"");
    command->add_flag("--now", o->now, "Kill it at once, without a checkpoint");
    command->callback([&outcome, o] { outcome.status = console::exitWith(stop(o->run, o->grace, o->now)); });

    command =
        app.add_subcommand("checkpoint", "Write a checkpoint after the current step; the run continues");
    addRunOption(*command, o->run);
    command->callback([&outcome, o] { outcome.status = console::exitWith(checkpoint(o->run)); });

    addResumeCommand(app, outcome);

    command = app.add_subcommand("logs", "Show the end of a rank's log");
    addRunOption(*command, o->run);
    command->add_option("--rank", o->rank, "Global rank")->capture_default_str();
    command->add_option("--bytes", o->bytes, "Amount to show, at most")->capture_default_str();
    command->add_flag("--follow", o->follow, "Follow the log as it grows, until Ctrl+C");
    command->callback(
        [&outcome, o] { outcome.status = console::exitWith(logs(o->run, o->rank, o->bytes, o->follow)); });
}

} // namespace trainyard
