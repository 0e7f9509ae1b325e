#include "app/cli/support/follow.h"

#include <QElapsedTimer>
#include <QEventLoop>
#include <QTimer>

#include "app/base/display_text.h"
#include "app/cli/support/alert_printer.h"
#include "app/cli/support/console.h"
#include "app/runs/told_errors.h"
#include "remote/stream/attempt_records.h"
#include "remote/stream/run_follower.h"

namespace trainyard {

namespace {

constexpr auto kTellInterval = std::chrono::milliseconds(200); ///< records of two streams differ by less
constexpr auto kJudgeInterval = std::chrono::seconds(1);
constexpr qint64 kSilenceMs = 3000;
constexpr std::size_t kMaxHeldBack = 50'000; ///< records, some 20 MiB

/// What a reader judges an evaluation by, beside its loss: no number is right or wrong.
QString judgedText(const EvaluationRecord& evaluation)
{
    if (evaluation.task.kind != TaskKind::Regress)
        return QString("  accuracy %1 %").arg(100 * evaluation.tokenAccuracy, 0, 'f', 1);
    const auto& correlation = evaluation.task.pearson;
    return correlation ? QString("  Pearson %1").arg(*correlation, 0, 'f', 4) : QString();
}

/// Prints the records of one run and remembers how it ended.
class ConsoleView {
public:
    explicit ConsoleView(const QString& runId) : m_runId(runId) {}

    void show(AttemptRecords& records)
    {
        const auto ordered = records.take();
        if (records.attempt() != m_attempt && records.attempt() > 1) {
            console::note(QString("attempt %1 of %2").arg(records.attempt()).arg(m_runId));
            m_told.forget();
        }
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
        const QString line =
            QString("step %1/%2  loss %3  lr %4  grad norm %5  %6 seq/s")
                .arg(step.step)
                .arg(m_last.steps)
                .arg(step.loss, 0, 'f', 4)
                .arg(console::number(step.learningRate), console::number(step.gradientNorm),
                     console::number(static_cast<double>(step.sequences) / step.stepSeconds));
        const bool stays = step.step % 10 == 0 || step.step == 1;
        m_passing = stays ? QString() : line;
        if (stays)
            console::note(line);
        else
            console::transient(line);
    }
    void showPayload(const EvaluationRecord& evaluation)
    {
        keepLastStep(); // the one that was evaluated
        console::note(QString("step %1  held-out loss %2%3%4")
                          .arg(evaluation.step)
                          .arg(evaluation.loss, 0, 'f', 4)
                          .arg(judgedText(evaluation), evaluation.best ? "  best" : ""));
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
        const std::string text =
            event.severity == Severity::Error ? m_told.newPartOf(event.message) : event.message;
        if (!text.empty())
            console::note(
                QString("%1: %2").arg(toQString(nameOf(event.severity)), QString::fromStdString(text)));
    }
    void showPayload(const StateRecord& state)
    {
        // A run that waits may change only the reason: its place in a queue.
        const bool changed = state.state != m_last.state ||
                             (state.state == RunState::Pending && state.reason != m_last.reason);
        if (isFinal(state.state))
            keepLastStep();
        if (changed && !state.heartbeat) {
            const std::string reason =
                state.state == RunState::Failed ? m_told.newPartOf(state.reason) : state.reason;
            console::note(
                QString("%1 %2%3").arg(m_runId, wordsFor(state.state),
                                       reason.empty() ? QString() : ": " + QString::fromStdString(reason)));
        }
        m_last = state;
    }
    void showPayload(const DeviceSample&) {}
    void showPayload(const PipelineTrace&) {}
    void showPayload(const ExpertLoad&) {}
    void showPayload(const DevicesRecord&) {} // an event tells when the ranks are not on devices

    QString m_runId;
    StateRecord m_last;
    ToldErrors m_told;           ///< in this attempt
    QString m_passing;           ///< the last step, where its line makes room for the next one
    std::uint32_t m_attempt = 0; ///< that is being told
};

QString linkText(LinkState state)
{
    return state == LinkState::Lost
               ? "connection lost; the run continues, and its records will be fetched later"
               : "connection restored";
}

/// Follows one run on the terminal until it ends or Ctrl+C is pressed.
class ConsoleFollower {
public:
    ConsoleFollower(Desk& desk, const QString& runId, const DeskRun& run)
        : m_runId(runId)
        , m_view(runId)
        , m_alerts(runId)
        , m_records(run.attempt)
        , m_follower(runId, run.allHosts(), desk.targets())
    {
        on(m_interrupt, &Interrupt::requested, [this] {
            m_detached = true;
            m_loop.quit();
        });
        on(m_follower, &RunFollower::recordsArrived,
           [this](const QString& stream, const std::vector<Record>& arrived) { take(stream, arrived); });
        on(m_follower, &RunFollower::streamRestarted,
           [this](const QString& stream) { m_alerts.forget(stream); });
        on(m_follower, &RunFollower::linkChanged, [this](LinkState state) { printLink(state); });
        on(m_follower, &RunFollower::problem,
           [](const Error& error) { console::note(QString::fromStdString(error.text())); });
        on(m_follower, &RunFollower::finished, [this] { m_loop.quit(); });
        on(m_recordTimer, &QTimer::timeout, [this] { printRecords(); });
        on(m_alertTimer, &QTimer::timeout, [this] { printAlerts(); });
    }

    /// Returns the exit status.
    int follow()
    {
        m_follower.start();
        m_alerts.setLink(m_follower.linkState());
        m_recordTimer.start(kTellInterval);
        m_alertTimer.start(kJudgeInterval);
        m_silence.start();
        m_loop.exec();
        m_recordTimer.stop();
        m_alertTimer.stop();
        console::transient("");
        if (m_detached) {
            console::note("Detached. The run continues; `trainyard attach " + m_runId +
                          "` follows it again.");
            return 130;
        }
        m_view.show(m_records);
        m_view.keepLastStep();
        return m_view.exitStatus();
    }

private:
    template <class Sender, class Signal, class Slot>
    void on(Sender& sender, Signal signal, Slot slot)
    {
        QObject::connect(&sender, signal, &m_loop, slot);
    }
    void take(const QString& stream, const std::vector<Record>& arrived)
    {
        m_records.add(stream, arrived);
        m_alerts.take(stream, arrived);
        m_silence.restart();
    }
    /// The streams catch up one by one. To print in order of time, wait until all have, unless no more comes
    /// or more than can be held back.
    void printRecords()
    {
        m_inOrder = m_inOrder || m_follower.caughtUp() || m_silence.hasExpired(kSilenceMs) ||
                    m_records.waiting() > kMaxHeldBack;
        if (m_inOrder)
            m_view.show(m_records);
    }
    void printAlerts()
    {
        if (m_inOrder)
            m_alerts.print();
    }
    void printLink(LinkState state)
    {
        m_alerts.setLink(state);
        if (m_wasLost != (state == LinkState::Lost))
            console::note(linkText(state));
        m_wasLost = state == LinkState::Lost;
    }

    QString m_runId;
    ConsoleView m_view;
    AlertPrinter m_alerts;
    AttemptRecords m_records;
    RunFollower m_follower;
    QEventLoop m_loop;
    QTimer m_recordTimer, m_alertTimer;
    QElapsedTimer m_silence; ///< since the last record
    Interrupt m_interrupt;
    bool m_inOrder = false;
    bool m_detached = false;
    bool m_wasLost = false;
};

} // namespace

QString wordsFor(RunState state)
{
    switch (state) {
    case RunState::Finished:
        return "has finished";
    case RunState::Failed:
        return "failed";
    case RunState::Stopped:
        return "was stopped";
    default:
        return "is " + toQString(nameOf(state));
    }
}

Result<int> followRun(Desk& desk, const QString& runId)
{
    TRAINYARD_TRY(const auto run, loadDeskRun(runId));
    return ConsoleFollower(desk, runId, run).follow();
}

} // namespace trainyard
