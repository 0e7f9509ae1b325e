#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <map>

#include "engine/records/journal.h"
#include "engine/spec/elastic.h"
#include "remote/launch/run_service.h"
#include "tests/support/bundle/engine_bundle.h"
#include "tests/support/lab/netns_lab.h"
#include "tests/support/lab/small_data_set.h"
#include "tests/support/patience.h"

using namespace trainyard;

namespace {

constexpr double kSameCurve = 1e-9; ///< relative, of sums in another order in float64
constexpr int kAllSteps = 1200;
const QString kDataFolder = "/root/data";

} // namespace

/// A run that leaves a host that is lost for good, and later gets another one in its place, resumed by hand.
/// Each host has a disk of its own.
class TestOtherHosts : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        if (const QString why = lab::NetnsLab::whyNot(); !why.isEmpty())
            QSKIP(qPrintable(why));
        qputenv("TRAINYARD_DATA", m_dir.filePath("desk").toUtf8());
        qputenv("TRAINYARD_BUNDLE", m_dir.filePath("bundle").toUtf8());
        const QString missing = support::bundleEngine(m_dir.filePath("bundle"));
        QVERIFY2(missing.isEmpty(), qPrintable(missing));
        const QString trouble = lab::makeSmallDataSet(m_dir.filePath("data"));
        QVERIFY2(trouble.isEmpty(), qPrintable(trouble));
        m_lab = std::make_unique<lab::NetnsLab>(lab::NetnsLab::Options{3, "1200m", {}});
        const QString problem = m_lab->start();
        QVERIFY2(problem.isEmpty(), qPrintable(problem));
        m_lab->trustHosts();
        for (int i = 0; i < m_lab->hostCount(); ++i)
            QVERIFY(lab::runCommand({"cp", "-rT", m_dir.filePath("data"), m_lab->host(i).path(kDataFolder)})
                        .ok());
        m_pool = std::make_unique<TargetPool>(m_lab->targetOptions());
        m_service = std::make_unique<RunService>(*m_pool);
    }
    void cleanupTestCase()
    {
        m_service.reset();
        m_pool.reset();
        m_lab.reset();
    }

    void continuesWithoutOneAndThenOnAnother()
    {
        const QString undisturbed = finished(m_service->launch(specOn({0})));
        AWAIT(lastState(undisturbed) == RunState::Finished);

        const RunSpec first = specOn({0, 1});
        const QString run = finished(m_service->launch(first));
        stopAfterACheckpoint(run);
        m_lab->host(1).powerOff();

        const auto alone = withoutHosts(first, {addressOf(1)});
        QVERIFY2(alone.ok(), alone.ok() ? "" : alone.error().text().c_str());
        QCOMPARE(finished(m_service->resume(run, {.layout = *alone})), run);
        stopAfterACheckpoint(run);
        QCOMPARE(loadDeskRun(run)->hosts, QStringList{m_lab->host(0).address()});
        const auto reached = curveOf(run).size();

        QCOMPARE(finished(m_service->resume(run, {.layout = specOn({0, 2})})), run);
        AWAIT(lastState(run) == RunState::Finished);
        QVERIFY2(reached < std::size_t{kAllSteps}, "the run was over before it got its last host");
        QCOMPARE(loadDeskRun(run)->hosts, hosts({0, 2}));
        QCOMPARE(loadDeskRun(run)->allHosts(), hosts({0, 1, 2}));
        AWAIT(QFile::exists(onHost(2, run, "journal/node-2"))); // samples have the host's own number
        QVERIFY(QFile::exists(onHost(2, run, "ranks/0001.log")));

        compare(curveOf(run), curveOf(undisturbed));
        QCOMPARE(timesOf(run, 1), 1); // it never began anew
    }

    void isRefusedWithoutItsHead()
    {
        const QString run = finished(m_service->launch(specOn({0, 2})));
        stopAfterACheckpoint(run);
        const Error refused = refusal(m_service->resume(run, {.layout = specOn({2, 0})}));
        QCOMPARE(refused.kind, ErrorKind::Refused);
        QVERIFY2(refused.text().find(addressOf(0) + " has the run's records") != std::string::npos,
                 refused.text().c_str());
    }

    /// What is refused leaves the run as it was, on its hosts and here.
    void aHostThatCannotBeReachedChangesNothing()
    {
        const QString run = finished(m_service->launch(specOn({0, 2})));
        stopAfterACheckpoint(run);
        const Error refused = refusal(m_service->resume(run, {.layout = specOn({0, 1})})); // without power
        QCOMPARE(refused.kind, ErrorKind::Unreachable);
        QCOMPARE(loadDeskRun(run)->hosts, hosts({0, 2}));
        QCOMPARE(finished(m_service->resume(run, {})), run);
        QCOMPARE(finished(m_service->stop(run)), run);
    }

private:
    using Losses = std::map<std::int64_t, double>;

    std::string addressOf(int host) const { return m_lab->host(host).address().toStdString(); }
    QStringList hosts(const QList<int>& numbers) const
    {
        QStringList addresses;
        for (const int number : numbers)
            addresses << m_lab->host(number).address();
        return addresses;
    }

    /// A data-parallel rank on each of these hosts, with a part of the optimizer's state each.
    RunSpec specOn(const QList<int>& numbers) const
    {
        RunSpec spec;
        spec.name = "other-hosts";
        spec.model.layers = 2;
        spec.model.hidden = 32;
        spec.model.heads = 2;
        spec.model.intermediate = 64;
        spec.model.maxPositions = 64;
        spec.model.vocabulary = lab::vocabularySizeOf(m_dir.filePath("data"));
        spec.precision.compute = ComputeType::Float64;
        spec.cluster.nodes.clear();
        for (const int number : numbers)
            spec.cluster.nodes.push_back({addressOf(number), 1, 0});
        spec.layout.data = static_cast<int>(numbers.size());
        spec.batch = {8, 4, 2 / spec.layout.data};
        spec.memory.zeroStage = 2;
        spec.checkpoint.everySteps = 50;
        spec.dataset.path = kDataFolder.toStdString();
        spec.launch.steps = kAllSteps;
        return spec;
    }

    static Result<QString> outcome(RunOperation* operation)
    {
        std::optional<Result<QString>> outcome;
        QObject::connect(operation, &RunOperation::finished, operation,
                         [&](const Result<QString>& result) { outcome = result; });
        [&] { AWAIT(outcome.has_value()); }();
        return outcome.value_or(failed("no answer"));
    }
    static QString finished(RunOperation* operation)
    {
        const Result<QString> result = outcome(operation);
        if (!result.ok())
            qWarning("%s", result.error().text().c_str());
        return result.ok() ? *result : QString();
    }
    static Error refusal(RunOperation* operation)
    {
        const Result<QString> result = outcome(operation);
        return result.ok() ? failed("it began") : result.error();
    }

    void stopAfterACheckpoint(const QString& run)
    {
        QVERIFY(!run.isEmpty());
        const auto before = curveOf(run).size();
        AWAIT(curveOf(run).size() > before + 60);
        QCOMPARE(finished(m_service->stop(run)), run);
        QCOMPARE(lastState(run), RunState::Stopped);
    }

    QString onHost(int host, const QString& run, const QString& file) const
    {
        return m_lab->host(host).path("/root/.trainyard/runs/" + run + '/' + file);
    }

    std::vector<Record> recordsOf(const QString& run, const char* stream) const
    {
        const auto journal = readJournal(onHost(0, run, "journal/").toStdString() + stream);
        return journal.ok() ? journal->records : std::vector<Record>();
    }

    /// What a later attempt computed again counts.
    Losses curveOf(const QString& run) const
    {
        Losses losses;
        for (const Record& record : recordsOf(run, "steps")) {
            if (const auto* step = std::get_if<StepRecord>(&record.payload))
                losses[step->step] = step->loss;
        }
        return losses;
    }

    int timesOf(const QString& run, std::int64_t number) const
    {
        int times = 0;
        for (const Record& record : recordsOf(run, "steps")) {
            const auto* step = std::get_if<StepRecord>(&record.payload);
            times += step && step->step == number ? 1 : 0;
        }
        return times;
    }

    RunState lastState(const QString& run) const
    {
        RunState last = RunState::Pending;
        for (const Record& record : recordsOf(run, "run")) {
            if (const auto* state = std::get_if<StateRecord>(&record.payload))
                last = state->state;
        }
        return last;
    }

    static void compare(const Losses& curve, const Losses& whole)
    {
        QCOMPARE(curve.size(), std::size_t{kAllSteps});
        QCOMPARE(whole.size(), std::size_t{kAllSteps});
        for (const auto& [step, loss] : whole)
            QVERIFY2(std::abs(curve.at(step) / loss - 1) < kSameCurve, qPrintable(QString::number(step)));
    }

    QTemporaryDir m_dir{"/dev/shm/trainyard-other-hosts-XXXXXX"}; // the bundle has half a GiB
    std::unique_ptr<lab::NetnsLab> m_lab;
    std::unique_ptr<TargetPool> m_pool;
    std::unique_ptr<RunService> m_service;
};

QTEST_GUILESS_MAIN(TestOtherHosts)
#include "tst_other_hosts.moc"
