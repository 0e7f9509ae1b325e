#include "app/cli/support/follow.h"

#include <QElapsedTimer>
#include <QEventLoop>
#include <QTimer>

#include "app/cli/support/alert_printer.h"
#include "app/cli/support/console.h"
#include "app/cli/support/run_words.h"
#include "remote/stream/attempt_records.h"
#include "remote/stream/run_follower.h"

namespace trainyard {

namespace {

constexpr auto kTellInterval = std::chrono::milliseconds(200); ///< records of two streams differ by less
constexpr auto kJudgeInterval = std::chrono::seconds(1);
constexpr qint64 kSilenceMs = 3000;
constexpr std::size_t kMaxHeldBack = 50'000; ///< records, some 20 MiB

QString number(double value)
{
    return QString::fromStdString(formatNumber(value));
}

/// Prints the records of one run and remembers how it ended.
class ConsoleView {
public:
    explicit ConsoleView(const QString& runId) : m_runId(runId) {}

    void show(AttemptRecords& records)
    {
        const auto ordered = records.take();
        if (records.attempt() != m_attempt && records.attempt() > 1)
            console::note(QString("attempt %1 of %2").arg(records.attempt()).arg(m_runId));
        m_attempt = records.attempt();
        for (const Record& record : ordered)
            std::visit([this](const auto& payload) { showPayload(payload); }, record.payload);
    }
    /// Where the run came to stays, whichever step it is.
    void keepLastStep()
    {
        if (!m_passing.isEmpty())
            console::note(std::exchange(m_passing, {}));
    }
    int exitStatus() const
    {
        switch (m_last.state) {
        case RunState::Finished:
            return 0;
        case RunState::Stopped:
            return 130;
        default:
            return 5;
        }
    }

private:
    void showPayload(const StepRecord& step)
    {
        const QString line = QString("step %1/%2  loss %3  lr %4  grad norm %5  %6 seq/s")
                                 .arg(step.step)
                                 .arg(m_last.steps)
                                 .arg(step.loss, 0, 'f', 4)
                                 .arg(number(step.learningRate), number(step.gradientNorm),
                                      number(static_cast<double>(step.sequences) / step.stepSeconds));
        const bool stays = step.step % 10 == 0 || step.step == 1;
        m_passing = stays ? QString() : line;
        if (stays)
            console::note(line);
        else
            console::transient(line);
    }
    void showPayload(const ProgressRecord& progress)
    {
        QString line = QString("%1  %2 %3")
                           .arg(QString::fromStdString(progress.stage))
                           .arg(progress.done)
                           .arg(QString::fromStdString(progress.unit));
        if (progress.total)
            line += QString(" of %1 (%2 %)")
                        .arg(progress.total)
                        .arg(100.0 * static_cast<double>(progress.done) / static_cast<double>(progress.total),
                             0, 'f', 0);
        if (progress.secondsLeft >= 0)
            line += ", " +
                    QString::fromStdString(formatDuration(
                        std::chrono::milliseconds(static_cast<qint64>(progress.secondsLeft * 1000)))) +
                    " left";
        console::transient(line);
    }
    void showPayload(const EventRecord& event)
    {
        console::note(QString("%1: %2").arg(QString::fromUtf8(nameOf(event.severity).data()),
                                            QString::fromStdString(event.message)));
    }
    void showPayload(const StateRecord& state)
    {
        // A run that waits may change only the reason: its place in a queue.
        const bool changed = state.state != m_last.state ||
                             (state.state == RunState::Pending && state.reason != m_last.reason);
        if (isFinal(state.state))
            keepLastStep();
        if (changed && !state.heartbeat)
            console::note(QString("%1 %2%3").arg(
                m_runId, wordsFor(state.state),
                state.reason.empty() ? QString() : ": " + QString::fromStdString(state.reason)));
        m_last = state;
    }
    void showPayload(const DeviceSample&) {}
    void showPayload(const PipelineTrace&) {}

    QString m_runId;
    StateRecord m_last;
    QString m_passing;           ///< the last step, where its line makes room for the next one
    std::uint32_t m_attempt = 0; ///< that is being told
};

QString linkText(LinkState state)
{
    return state == LinkState::Lost
               ? "connection lost; the run continues, and its records will be fetched later"
               : "connection restored";
}

} // namespace

int followRun(Desk& desk, const QString& runId)
{
    const auto run = loadDeskRun(runId);
    if (!run.ok())
        return console::fail(run.error());

    ConsoleView view(runId);
    AlertPrinter alerts(runId);
    AttemptRecords records(run->attempt);
    RunFollower follower(runId, run->hosts, desk.targets());
    QEventLoop loop;
    QTimer tell;
    QElapsedTimer silence;
    Interrupt interrupt;
    bool detached = false;
    bool wasLost = false;
    QObject::connect(&interrupt, &Interrupt::requested, &loop, [&] {
        detached = true;
        loop.quit();
    });
    QObject::connect(&follower, &RunFollower::recordsArrived, &loop,
                     [&](const QString& stream, const std::vector<Record>& arrived) {
                         records.add(stream, arrived);
                         alerts.take(stream, arrived);
                         silence.restart();
                     });
    // The streams catch up one by one; nothing is told before all have, unless nothing more comes or more
    // than can be held back.
    bool inOrder = false;
    QObject::connect(&tell, &QTimer::timeout, &loop, [&] {
        inOrder = inOrder || follower.caughtUp() || silence.hasExpired(kSilenceMs) ||
                  records.waiting() > kMaxHeldBack;
        if (inOrder)
            view.show(records);
    });
    QObject::connect(&follower, &RunFollower::streamRestarted, &loop,
                     [&](const QString& stream) { alerts.forget(stream); });
    QTimer judge;
    QObject::connect(&judge, &QTimer::timeout, &loop, [&] {
        if (inOrder)
            alerts.print();
    });
    QObject::connect(&follower, &RunFollower::linkChanged, &loop, [&](LinkState state) {
        alerts.setLink(state);
        if (wasLost != (state == LinkState::Lost))
            console::note(linkText(state));
        wasLost = state == LinkState::Lost;
    });
    QObject::connect(&follower, &RunFollower::problem, &loop,
                     [](const Error& error) { console::note(QString::fromStdString(error.text())); });
    QObject::connect(&follower, &RunFollower::finished, &loop, &QEventLoop::quit);
    follower.start();
    alerts.setLink(follower.linkState());
    tell.start(kTellInterval);
    judge.start(kJudgeInterval);
    silence.start();
    loop.exec();
    tell.stop();
    judge.stop();
    console::transient("");
    if (detached) {
        console::note("Detached. The run continues; `trainyard attach " + runId + "` follows it again.");
        return 130;
    }
    view.show(records);
    view.keepLastStep();
    return view.exitStatus();
}

} // namespace trainyard
