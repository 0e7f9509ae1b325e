#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <functional>
#include <optional>
#include <random>

#include "app/alerts/alert_actions.h"
#include "app/alerts/alert_center.h"
#include "app/alerts/alert_rules.h"
#include "app/monitor/model/next_checkpoint.h"
#include "app/runs/run_store.h"
#include "engine/base/file.h"
#include "tests/support/sample_run/sample_run.h"

using namespace trainyard;

namespace {

constexpr std::int64_t kSecondNs = 1'000'000'000;
constexpr double kStepSeconds = 0.5;

/// A run of four ranks on two hosts that trains as a healthy one does, until a test says otherwise.
struct Story {
    int steps = 400;
    RunState state = RunState::Running;
    RunLink link = RunLink::Live;
    qint64 silentMs = 500; ///< since the newest record
    std::function<void(StepRecord&)> atStep = [](StepRecord&) {};
    std::function<void(DeviceSample&, int node)> atSample = [](DeviceSample&, int) {};
    int secondHostEndsAt = 1'000'000; ///< after this step node 1 sends nothing
    std::vector<EventRecord> events{};
    /// Of the evaluation after a step; nullopt = it is not evaluated.
    std::function<std::optional<double>(int step)> heldOutLoss = [](int) { return std::nullopt; };
    std::vector<std::uint32_t> pairs{}; ///< of each expert of layer 3; empty: a model without
};

/// Falls as a loss does, with the noise of one.
StepRecord healthyStep(int step)
{
    std::mt19937 generator(unsigned(step) * 7919u);
    std::normal_distribution<double> normal;
    StepRecord record;
    record.step = step;
    record.loss = 3.5 + 7.5 * std::exp(-step / 60.0) + 0.08 * normal(generator);
    record.gradientNorm = 0.8 + 4 * std::exp(-step / 40.0) + 0.12 * std::fabs(normal(generator));
    record.learningRate = 1e-3;
    record.stepSeconds = kStepSeconds * (1 + 0.05 * std::fabs(normal(generator)));
    if (step % 100 == 0)
        record.stepSeconds *= 6; // a checkpoint
    record.sequences = 256;
    record.ranks.resize(4);
    for (RankStats& rank : record.ranks)
        rank.seconds[std::size_t(StepPhase::Forward)] = kStepSeconds * (1 + 0.03 * normal(generator));
    return record;
}

/// Everything that the story's journals hold, and the moment at which one looks.
class Told {
public:
    explicit Told(const Story& story)
    {
        facts.hosts = {"gpu-01", "gpu-02"};
        std::int64_t now = 1'795'252'505 * kSecondNs;
        std::uint64_t sequence = 0;
        for (int step = 1; step <= story.steps; ++step) {
            StepRecord record = healthyStep(step);
            story.atStep(record);
            now += std::int64_t(record.stepSeconds * double(kSecondNs));
            series.apply("steps", {{1, ++sequence, {now, now}, record}});
            if (const auto loss = story.heldOutLoss(step))
                series.apply("steps",
                             {{1, ++sequence, {now, now}, EvaluationRecord{.step = step, .loss = *loss}}});
            for (int node = 0; node < 2 && (node == 0 || step <= story.secondHostEndsAt); ++node)
                sample(story, node, now);
        }
        if (!story.pairs.empty())
            series.apply("steps", {{1,
                                    ++sequence,
                                    {now, now},
                                    ExpertLoad{story.steps, int(story.pairs.size()), {3}, story.pairs}}});
        for (const EventRecord& event : story.events)
            series.apply("steps", {{1, ++sequence, {now, now}, event}});
        series.apply("run", {{1, 1, {now, now}, StateRecord{story.state, "", story.steps, 1000, false}}});
        run.link = story.link;
        run.nowMs = now / 1'000'000 + story.silentMs;
    }
    Told(const Told&) = delete;
    Told& operator=(const Told&) = delete;

    RunFacts facts;
    RunSeries series;
    ObservedRun run{facts, series};

private:
    void sample(const Story& story, int node, std::int64_t now)
    {
        DeviceSample host{-1, 20 * kGiB, 64 * kGiB, 0.8, 200 * kGiB};
        DeviceSample device{0, 30 * kGiB, 40 * kGiB, 0.95, 200 * kGiB};
        story.atSample(host, node);
        story.atSample(device, node);
        const QString stream = QStringLiteral("node-%1").arg(node);
        series.apply(stream, {{1, ++m_samples, {now, now}, host}, {1, ++m_samples, {now, now}, device}});
    }

    std::uint64_t m_samples = 0;
};

QStringList namesOf(const QList<Alert>& alerts)
{
    QStringList names;
    for (const Alert& alert : alerts)
        names.append(alert.subject.isEmpty() ? nameOf(alert.kind)
                                             : nameOf(alert.kind) + QStringLiteral(" of ") + alert.subject);
    return names;
}

QStringList alertsIn(const Story& story, const AlertThresholds& thresholds = {})
{
    const Told told(story);
    return namesOf(alertsOf(told.run, thresholds));
}

Story with(const std::function<void(StepRecord&)>& atStep)
{
    Story story;
    story.atStep = atStep;
    return story;
}

/// Of the host, or of the device.
Story withSample(const std::function<void(DeviceSample&, int)>& atSample)
{
    Story story;
    story.atSample = atSample;
    return story;
}

/// Evaluated every 40 steps: the loss is `best` up to step 200 and changes by `change` in each evaluation
/// after.
Story evaluated(double best, double change)
{
    Story story;
    story.heldOutLoss = [=](int step) -> std::optional<double> {
        if (step % 40 != 0)
            return std::nullopt;
        return step <= 200 ? best + (200 - step) / 100.0 : best + change * (step - 200) / 40;
    };
    return story;
}

Story routed(const std::vector<std::uint32_t>& pairs)
{
    Story story;
    story.pairs = pairs;
    return story;
}

Story looked(qint64 silentMs, RunLink link, RunState state = RunState::Running)
{
    Story story;
    story.silentMs = silentMs;
    story.link = link;
    story.state = state;
    return story;
}

} // namespace

Q_DECLARE_METATYPE(Story)

class TestAlerts : public QObject {
    Q_OBJECT

private slots:
    void namesEveryTrouble_data()
    {
        QTest::addColumn<Story>("story");
        QTest::addColumn<QStringList>("alerts");
        QTest::addRow("NaN") << with([](StepRecord& s) {
            if (s.step == 400)
                s.loss = std::nan("");
        }) << QStringList{"not-finite"};
        Story told;
        told.events = {{Severity::Error, "not-finite", "the loss of step 401 is nan", {}, 401}};
        told.state = RunState::Failed;
        QTest::addRow("NaN that ended the run") << told << QStringList{"not-finite"};
        Story drifted;
        drifted.events = {
            {Severity::Error, "replicas-differ", "after step 400 the weights of rank 2", {}, 400}};
        QTest::addRow("replicas differ") << drifted << QStringList{"replicas-differ"};
        QTest::addRow("divergence") << with([](StepRecord& s) {
            if (s.step > 370)
                s.loss += 0.3 * double(s.step - 370);
        }) << QStringList{"divergence"};
        QTest::addRow("divergence that became level") << with([](StepRecord& s) {
            if (s.step > 150)
                s.loss = 9.5;
        }) << QStringList{"divergence"};
        QTest::addRow("gradient spike") << with([](StepRecord& s) {
            if (s.step == 390)
                s.gradientNorm = 60;
        }) << QStringList{"gradient-spike"};
        QTest::addRow("overfitting") << evaluated(4, 0.1) << QStringList{"overfitting"};
        QTest::addRow("idle experts")
            << routed({900, 20, 0, 500, 480, 500, 530, 1070}) << QStringList{"idle-experts"};
        QTest::addRow("slow steps") << with([](StepRecord& s) {
            if (s.step > 392)
                s.stepSeconds = 3;
        }) << QStringList{"slow-steps"};
        QTest::addRow("straggler") << with([](StepRecord& s) {
            s.ranks[2].seconds[std::size_t(StepPhase::Forward)] *= 1.6;
        }) << QStringList{"straggler of rank 2"};
        QTest::addRow("stall") << looked(90'000, RunLink::Live) << QStringList{"stall"};
        QTest::addRow("link lost") << looked(90'000, RunLink::Lost) << QStringList{"link-lost"};
        Story silentHost;
        silentHost.secondHostEndsAt = 200;
        QTest::addRow("lost host") << silentHost << QStringList{"lost-host of gpu-02"};
        QTest::addRow("low disk") << withSample([](DeviceSample& s, int node) {
            s.diskFree = node == 1 ? 3 * kGiB : s.diskFree;
        }) << QStringList{"low-disk of gpu-02"};
        QTest::addRow("low memory") << withSample([](DeviceSample& s, int node) {
            if (s.device < 0 && node == 0)
                s.memoryUsed = 63 * kGiB;
        }) << QStringList{"low-host-memory of gpu-01"};
        QTest::addRow("memory errors") << withSample([](DeviceSample& s, int node) {
            if (s.device == 0 && node == 0)
                s.health.uncorrectedErrors = 2;
        }) << QStringList{"memory-errors of gpu-01, device 0"};
        QTest::addRow("hot device") << withSample([](DeviceSample& s, int node) {
            if (s.device == 0 && node == 1)
                s.health.clockLimits = 1U << unsigned(ClockLimit::Heat);
        }) << QStringList{"slow-device of gpu-02, device 0"};
        QTest::addRow("idle device") << withSample([](DeviceSample& s, int node) {
            if (s.device == 0 && node == 1)
                s.utilisation = 0;
        }) << QStringList{"idle-device of gpu-02, device 0"};
    }
    void namesEveryTrouble()
    {
        QFETCH(Story, story);
        QFETCH(QStringList, alerts);
        QCOMPARE(alertsIn(story), alerts);
    }

    void isSilentAboutWhatIsNone_data()
    {
        QTest::addColumn<Story>("story");
        QTest::addRow("healthy") << Story();
        Story young;
        young.steps = 12;
        QTest::addRow("a few steps") << young;
        Story empty;
        empty.steps = 0;
        empty.silentMs = 600'000;
        QTest::addRow("starting for long") << empty;
        QTest::addRow("one absurd loss") << with([](StepRecord& s) {
            if (s.step == 399)
                s.loss = 61;
        });
        QTest::addRow("a skipped step") << with([](StepRecord& s) {
            if (s.step == 400) {
                s.loss = std::nan("");
                s.gradientNorm = INFINITY;
                s.skipped = true;
            }
        });
        QTest::addRow("NaN that is over") << with([](StepRecord& s) {
            if (s.step == 380)
                s.loss = std::nan("");
        });
        QTest::addRow("uneven experts") << routed({900, 120, 60, 500, 480, 500, 530, 910});
        Story fresh = routed({4000, 0, 0, 0, 0, 0, 0, 0});
        fresh.steps = 90;
        QTest::addRow("routers as they were drawn") << fresh;
        QTest::addRow("held-out loss at a plateau") << evaluated(4, 0.005);
        QTest::addRow("held-out loss that falls") << evaluated(4, -0.1);
        Story justRisen = evaluated(4, 0.1);
        justRisen.steps = 290; // two evaluations after the best one
        QTest::addRow("held-out loss that has just risen") << justRisen;
        Story back = evaluated(4, 0.1);
        back.heldOutLoss = [rising = back.heldOutLoss](int step) {
            return step == 400 ? std::optional(4.01) : rising(step);
        };
        QTest::addRow("held-out loss that came back") << back;
        for (const unsigned seed : {1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u}) {
            Story noisy; // 2 % of noise, twice the threshold
            noisy.heldOutLoss = [seed](int step) -> std::optional<double> {
                std::mt19937 generator(1000 * seed + unsigned(step));
                std::normal_distribution<double> noise(0, 0.08);
                return step % 10 == 0 ? std::optional(4 + noise(generator)) : std::nullopt;
            };
            QTest::addRow("noisy held-out loss at a plateau, %u", seed) << noisy;
        }
        QTest::addRow("one late step") << with([](StepRecord& s) {
            if (s.step == 400)
                s.stepSeconds = 9;
        });
        QTest::addRow("a hiccup of some seconds") << with([](StepRecord& s) {
            if (s.step > 394)
                s.stepSeconds = 1.4;
        });
        QTest::addRow("ranks that take turns at being late") << with([](StepRecord& s) {
            s.ranks[std::size_t(s.step) % 2].seconds[std::size_t(StepPhase::Forward)] *= 2.5;
        });
        QTest::addRow("ranks that share two cores") << with([](StepRecord& s) {
            std::mt19937 generator(unsigned(s.step));
            std::exponential_distribution<double> waiting(1);
            for (RankStats& rank : s.ranks)
                rank.seconds[std::size_t(StepPhase::Forward)] *= 1 + waiting(generator);
        });
        QTest::addRow("a mild straggler")
            << with([](StepRecord& s) { s.ranks[3].seconds[std::size_t(StepPhase::Forward)] *= 1.08; });
        QTest::addRow("a rank that waits")
            << with([](StepRecord& s) { s.ranks[1].seconds[std::size_t(StepPhase::Reduce)] = 5; });
        QTest::addRow("a device at its power limit") << withSample([](DeviceSample& s, int) {
            s.health.clockLimits = 1U << unsigned(ClockLimit::Power);
            s.health.uncorrectedErrors = 0;
        });
        QTest::addRow("a device that holds nothing") << withSample([](DeviceSample& s, int) {
            if (s.device == 0)
                s = {0, 100 * kMiB, 40 * kGiB, 0, s.diskFree};
        });
        QTest::addRow("silent, but behind") << looked(90'000, RunLink::CatchingUp);
        QTest::addRow("link gone for a moment") << looked(3000, RunLink::Lost);
        QTest::addRow("recorded") << looked(86'400'000, RunLink::Recorded);
        QTest::addRow("stopped") << looked(86'400'000, RunLink::Lost, RunState::Stopped);
        Story finished = with([](StepRecord& s) {
            if (s.step > 370)
                s.loss = 30;
        });
        finished.state = RunState::Finished;
        QTest::addRow("finished") << finished;
    }
    void isSilentAboutWhatIsNone()
    {
        QFETCH(Story, story);
        QCOMPARE(alertsIn(story), QStringList());
    }

    void aDivergenceThatComesBackIsOver()
    {
        QCOMPARE(alertsIn(with([](StepRecord& s) {
                     if (s.step > 250 && s.step < 380)
                         s.loss += 4;
                 })),
                 QStringList());
    }

    void overfittingIsFoundInNoise()
    {
        Story story;
        story.heldOutLoss = [](int step) -> std::optional<double> {
            std::mt19937 generator(unsigned(step) * 7919u);
            std::normal_distribution<double> noise(0, 0.08);
            const double course = step < 150 ? 4 + (150 - step) / 50.0 : 4 + (step - 150) / 250.0;
            return step % 10 == 0 ? std::optional(course + noise(generator)) : std::nullopt;
        };
        QCOMPARE(alertsIn(story), QStringList{"overfitting"});
    }

    /// The training loss stays where it is: then its noise decides whether it falls.
    void aTrainingLossAtAPlateauIsNoOverfitting()
    {
        Story story = evaluated(4, 0.1);
        story.atStep = [](StepRecord& s) { s.loss = 3.5 + (s.step % 2 == 0 ? 0.1 : -0.1); };
        QCOMPARE(alertsIn(story), QStringList());
    }

    /// Both rise slowly: the optimizer is at fault, not the data.
    void risingTrainingLossIsNoOverfitting()
    {
        Story story = evaluated(4, 0.1);
        story.atStep = [](StepRecord& s) {
            if (s.step > 200)
                s.loss += 0.01 * double(s.step - 200);
        };
        QVERIFY(!alertsIn(story).contains("overfitting"));
    }

    void overfittingNamesBothLossesAndTheThresholdsDecide()
    {
        const Told told(evaluated(4, 0.1));
        const QList<Alert> alerts = alertsOf(told.run, {});
        QCOMPARE(namesOf(alerts), QStringList{"overfitting"});
        QCOMPARE(alerts.first().step, std::int64_t(200));
        QCOMPARE(alerts.first().severity, Severity::Warning);
        QVERIFY2(alerts.first().text.startsWith(
                     "The held-out loss rose from 4.000 after step 200 to 4.500 after step 400, while"),
                 qPrintable(alerts.first().text));
        AlertThresholds thresholds;
        thresholds.heldOutRise = 0.2;
        QCOMPARE(namesOf(alertsOf(told.run, thresholds)), QStringList());
        thresholds.heldOutRise = 0.01;
        thresholds.heldOutEvaluations = 6;
        QCOMPARE(namesOf(alertsOf(told.run, thresholds)), QStringList());
        QCOMPARE(actionsFor(alerts.first(), RunState::Running), QList{AlertAction::Stop});
    }

    void findsAStragglerWithinThirtySteps()
    {
        for (const int steps : {370, 393, 394, 400}) {
            Story story = with([](StepRecord& s) {
                if (s.step > 370)
                    s.ranks[2].seconds[std::size_t(StepPhase::Forward)] *= 1.6;
            });
            story.steps = steps;
            QCOMPARE(alertsIn(story), steps < 394 ? QStringList() : QStringList{"straggler of rank 2"});
        }
    }

    void whatLiesAboutAThresholdDoesNotComeAndGo()
    {
        // The rank is 1.25 times as slow on average: about the threshold, now above it and now below.
        int changes = 0;
        QList<Alert> before;
        for (int steps = 40; steps <= 400; ++steps) {
            Story story = with([](StepRecord& s) {
                s.ranks[2].seconds[std::size_t(StepPhase::Forward)] *= s.step / 15 % 2 == 0 ? 1.5 : 1.2;
            });
            story.steps = steps;
            const Told told(story);
            const QList<Alert> now = alertsAfter(before, told.run, {});
            changes += namesOf(now) != namesOf(before) ? 1 : 0;
            before = now;
        }
        QVERIFY2(changes <= 1, qPrintable(QString::number(changes)));
    }

    void anAlertEndsWhenItIsClearlyOver()
    {
        const QList<Alert> before{{AlertKind::LowDisk, "gpu-02"}};
        const auto afterFree = [&](double gib) {
            const Told told(withSample([gib](DeviceSample& s, int node) {
                s.diskFree = node == 1 ? Bytes(gib * double(kGiB)) : s.diskFree;
            }));
            return namesOf(alertsAfter(before, told.run, {}));
        };
        QCOMPARE(afterFree(10.5), QStringList{"low-disk of gpu-02"});
        QCOMPARE(afterFree(11.5), QStringList());
    }

    void theRunsOwnVerdictNamesTheRankThatHangs()
    {
        Story story = looked(5000, RunLink::Live); // sooner than this desk would have said so
        story.events = {{Severity::Warning, "rank-stalled", "rank 3 did not enter all-reduce 1207", 3, 400}};
        const Told told(story);
        const QList<Alert> alerts = alertsOf(told.run, {});
        QCOMPARE(namesOf(alerts), QStringList{"stall"});
        QCOMPARE(alerts.first().rank, std::optional(3));
        QVERIFY(alerts.first().text.contains("rank 3 did not enter all-reduce 1207"));
    }

    /// Its 1000 batches take up to 500 s after a step of 0.5 s, until its time is known.
    void aLongEvaluationIsNoStall()
    {
        Story story = looked(400'000, RunLink::Live);
        Told told(story);
        QCOMPARE(namesOf(alertsOf(told.run, {})), QStringList{"stall"});
        told.facts.spec = RunSpec{};
        told.facts.spec->launch.steps = 1000;
        told.facts.spec->evaluation.everySteps = 200;
        told.facts.spec->evaluation.batches = 1000;
        QCOMPARE(namesOf(alertsOf(told.run, {})), QStringList());
        told.run.nowMs += 200'000;
        QCOMPARE(namesOf(alertsOf(told.run, {})), QStringList{"stall"});
        told.facts.spec->evaluation.everySteps = 300; // step 400 is followed by none
        told.run.nowMs -= 200'000;
        QCOMPARE(namesOf(alertsOf(told.run, {})), QStringList{"stall"});
        told.facts.spec->phases.resize(2);
        told.facts.spec->phases[0].steps = 100; // step 400 is the 300th of the second phase
        told.facts.spec->phases[1].steps = 900;
        QCOMPARE(namesOf(alertsOf(told.run, {})), QStringList());
    }

    void theTimeOfTheLastEvaluationsLimitsThatOfTheNext()
    {
        Story story = looked(130'000, RunLink::Live);
        Told told(story);
        told.facts.spec = RunSpec{};
        told.facts.spec->launch.steps = 1000;
        told.facts.spec->evaluation.everySteps = 200;
        told.facts.spec->evaluation.batches = 1000;
        const std::int64_t stepEnd = told.run.nowMs * 1'000'000 - 130 * kSecondNs;
        const auto evaluate = [&](std::int64_t step, std::int64_t now, double seconds) {
            EvaluationRecord record{.step = step, .loss = 4};
            record.seconds = seconds;
            told.series.apply("steps", {{1, std::uint64_t(1000 + step), {now, now}, record}});
        };
        evaluate(200, stepEnd - 100 * kSecondNs, 40);
        QCOMPARE(namesOf(alertsOf(told.run, {})), QStringList()); // 60 s and twice 40 s
        told.run.nowMs += 20'000;
        QCOMPARE(namesOf(alertsOf(told.run, {})), QStringList{"stall"});
        evaluate(400, stepEnd + 110 * kSecondNs, 110); // which ended 40 s ago, but no host sent a sample
        QVERIFY(!namesOf(alertsOf(told.run, {})).contains("stall"));
    }

    void thresholdsAreTheUsers()
    {
        const Story slow = with([](StepRecord& s) {
            if (s.step > 390)
                s.stepSeconds = 0.9;
        });
        QCOMPARE(alertsIn(slow), QStringList());
        AlertThresholds strict;
        strict.stepFactor = 1.5;
        QCOMPARE(alertsIn(slow, strict), QStringList{"slow-steps"});
    }

    void offersWhatCanBeDone()
    {
        const Alert diverged{AlertKind::Divergence};
        QVERIFY(actionsFor(diverged, RunState::Running).contains(AlertAction::Stop));
        QVERIFY(!actionsFor(diverged, RunState::Failed).contains(AlertAction::Stop));
        QCOMPARE(actionsFor(diverged, RunState::Failed).first(), AlertAction::LowerRate);
    }

    void settingsSurviveAndDamageIsNamed()
    {
        const QTemporaryDir folder;
        const std::filesystem::path file = folder.filePath("alerts.json").toStdString();
        QCOMPARE(loadAlertSettings(file).value(), AlertSettings());
        AlertSettings changed;
        changed.notifies = false;
        changed.thresholds.diskFree = 55 * kGiB;
        changed.thresholds.hostMemoryFree = 0.25;
        QVERIFY(saveAlertSettings(file, changed).ok());
        QCOMPARE(loadAlertSettings(file).value(), changed);
        QVERIFY(writeFileAtomically(file, R"({"step_factor": -3})").ok());
        const auto damaged = loadAlertSettings(file);
        QVERIFY(!damaged.ok());
        QVERIFY(damaged.error().text().find("step_factor") != std::string::npos);
    }

    void raisesATroubleOnceAndClearsIt()
    {
        const QTemporaryDir folder;
        support::SampleRun sample;
        sample.state = RunState::Running;
        sample.steps = 2000;
        sample.startNs = QDateTime::currentMSecsSinceEpoch() * 1'000'000 - 168 * kSecondNs;
        QVERIFY(!support::writeSampleRun(folder.filePath("runs"), sample).isEmpty());
        const auto library = RunDatabase::open(folder.filePath("history.db")).value();
        RunStore desk(*library, folder.filePath("runs"), nullptr);
        const QString id = library->runs().first().id;
        AlertCenter alerts(desk, folder.filePath("alerts.json").toStdString());
        const QSignalSpy raised(&alerts, &AlertCenter::raised);
        OpenRun* run = desk.open(id).value();
        const auto take = [&](std::uint64_t sequence, std::int64_t step, double norm) {
            StepRecord record = support::sampleStep(sample, step);
            record.gradientNorm = norm;
            const std::int64_t now = QDateTime::currentMSecsSinceEpoch() * 1'000'000;
            run->apply("steps", {{1, sequence, {now, now}, record}});
            alerts.look();
        };
        alerts.look();
        QCOMPARE(alerts.alertsOf(id).size(), 0);
        take(10'000, 401, 99);
        take(10'001, 402, 1);
        QCOMPARE(raised.size(), 1);
        QCOMPARE(alerts.alertsOf(id).size(), 1);
        QCOMPARE(desk.list().indexOf(id).data(RunListModel::AlertRole).toString(), QString("gradient spike"));
        for (int step = 403; step < 430; ++step)
            take(std::uint64_t(9600 + step), step, 1);
        QCOMPARE(alerts.alertsOf(id).size(), 0);
        QCOMPARE(raised.size(), 1);
        QVERIFY(desk.list().indexOf(id).data(RunListModel::AlertRole).toString().isEmpty());
    }

    void tellsTheNextCheckpointAndTheRateThatWasUsed()
    {
        const QTemporaryDir folder;
        support::SampleRun sample;
        sample.state = RunState::Running;
        sample.steps = 2000;
        sample.reached = 1240;
        const QString path = support::writeSampleRun(folder.path(), sample);
        const RecordedRun run = readRunFolder(path).value();
        const auto next = nextCheckpoint(run.facts, run.series);
        QVERIFY(next);
        QCOMPARE(next->step, std::int64_t(1300));
        QVERIFY(next->seconds > 60 * 0.4 && next->seconds < 60 * 0.5); // 60 steps of about 0.42 s
        QCOMPARE(newestCheckpoint(run.series), std::int64_t(1200));
        QVERIFY(std::fabs(peakLearningRate(run.facts, run.series) - 1e-3) < 2e-6);
    }
};

QTEST_GUILESS_MAIN(TestAlerts)
#include "tst_alerts.moc"
