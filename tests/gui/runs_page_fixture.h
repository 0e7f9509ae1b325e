#pragma once

#include <memory>
#include <optional>

#include <QPushButton>
#include <QTableView>
#include <QTemporaryDir>

#include "app/alerts/alert_center.h"
#include "app/monitor/runs_page.h"
#include "app/plan/hardware_library.h"
#include "app/runs/run_hosts.h"
#include "app/runs/run_store.h"
#include "remote/launch/run_service.h"
#include "tests/support/sample_run/sample_run.h"

namespace trainyard::test {

/// Hosts that do what a test tells them.
class ScriptedHosts : public RunHosts {
public:
    void follow(OpenRun& run) override
    {
        followed.append(run.id());
        run.setLink(RunLink::Live);
    }
    void stop(const QString& runId, bool keep, RunReply reply) override
    {
        ask((keep ? "stop " : "kill ") + runId, reply);
    }
    void resume(const QString& runId, const ResumeChanges& changes, RunReply reply) override
    {
        QString what = "resume " + runId;
        if (changes.learningRate > 0)
            what += QString(" with %1").arg(changes.learningRate);
        if (changes.step)
            what += QString(" from %1").arg(*changes.step);
        ask(what, reply);
    }
    void listCheckpoints(const QString& runId, std::chrono::milliseconds verification, const QObject*,
                         std::function<void(const Result<QList<RunCheckpoint>>&)> done) override
    {
        asked.append((verification.count() > 0 ? "verify " : "list ") + runId);
        if (checkpoints)
            done(*checkpoints);
        else
            listed = done;
    }
    void checkpoint(const QString& runId, RunReply reply) override { ask("checkpoint " + runId, reply); }
    std::function<void()> exportModel(const QString& runId, const ModelExportRequest& request,
                                      RunReply reply) override
    {
        exported = request;
        ask("export " + runId, reply);
        return [this] { asked.append("cancel"); };
    }
    void removeFromHosts(const QString& runId, RunReply reply) override { ask("remove " + runId, reply); }
    void readLog(const QString&, int, qint64, qint64, const QObject*,
                 std::function<void(const Result<LogPiece>&)> done) override
    {
        done(unreachable("gpu-01: no link"));
    }
    void readRing(const QString&, int rank, const QObject*,
                  std::function<void(const Result<FlightSnapshot>&)> done) override
    {
        FlightSnapshot ring;
        ring.rank = rank;
        ring.step = step;
        ring.activity = Activity::Backward;
        ring.entries = {
            {std::uint64_t(step - 1199), 0, CollectiveKind::AllReduce, 25 << 20, 1'000'000, leftNs, step}};
        for (std::int64_t s = step - 40; s < step; ++s) {
            const std::int64_t begin = s * 100'000'000;
            const auto number = std::uint64_t(2 * s);
            ring.passes.push_back({number, TracedWork::Forward, 0, 0, begin, begin + 30'000'000, s});
            ring.passes.push_back(
                {number + 1, TracedWork::Backward, 0, 0, begin + 30'000'000, begin + 90'000'000, s});
        }
        step += stepsOfALook;
        done(ring);
    }
    std::int64_t step = 1240; ///< that all ranks are in
    int stepsOfALook = 0;     ///< done from one look to the next
    std::int64_t leftNs = 0;  ///< of the last collective

    QStringList followed;
    QStringList asked;
    RunReply last;
    ModelExportRequest exported; ///< last request of that kind
    std::optional<Result<QList<RunCheckpoint>>>
        checkpoints; ///< listed at once; nothing = when a test says so
    std::function<void(const Result<QList<RunCheckpoint>>&)> listed;
    std::optional<Status> answer; ///< to every request, at once; nothing = none

private:
    void ask(const QString& what, const RunReply& reply)
    {
        asked.append(what);
        last = reply;
        if (answer)
            reply.done(*answer);
    }
};

support::SampleRun running();
support::SampleRun failedRun();

/// The page Runs over sample runs in a temporary folder.
class RunsPageFixture {
protected:
    /// For init(): a new folder without runs.
    void start();
    /// For cleanup().
    void end();
    /// Writes the runs and shows the page.
    void open(const QList<support::SampleRun>& runs);

    QPushButton* button(const QString& text, const QWidget* parent = nullptr) const;
    static QTableView* tableOf(QWidget& parent, const QString& name);
    bool hasText(const QString& text) const;
    bool hasTextStartingWith(const QString& text) const;

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<RunDatabase> m_history;
    std::unique_ptr<ScriptedHosts> m_hosts;
    std::unique_ptr<RunStore> m_store;
    std::unique_ptr<AlertCenter> m_alerts;
    const HardwareLibrary m_hardware{"/no/hardware/of/ones/own"};
    std::unique_ptr<RunsPage> m_page;
};

} // namespace trainyard::test
