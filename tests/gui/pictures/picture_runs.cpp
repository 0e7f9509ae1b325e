#include "tests/gui/pictures/picture_runs.h"

#include <QDateTime>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include "app/runs/recorded_run.h"
#include "engine/base/file.h"
#include "engine/spec/layout_change.h"
#include "tests/support/sample_run/sample_run.h"

namespace trainyard::pictures {

namespace {

constexpr std::int64_t kSecondNs = 1'000'000'000;
constexpr std::int64_t kDayNs = 86'400 * kSecondNs;

std::int64_t nowNs()
{
    return QDateTime::currentMSecsSinceEpoch() * 1'000'000;
}

support::SampleRun liveRun()
{
    support::SampleRun run;
    run.id = kLive;
    run.name = "bert-large-phase1";
    run.hosts = QStringList{"gpu-03.cluster.example.org", "gpu-11.cluster.example.org"};
    run.worldSize = 12;
    run.steps = 7038;
    run.reached = 2412;
    run.state = RunState::Running;
    run.startNs =
        nowNs() - 200 * kSecondNs; // its newest step is later than any picture: it never looks stalled
    run.spikeAt = 640;
    run.notFiniteAt = 900;
    run.hardware = "cpu-node";
    run.pipeline = 4;
    run.hasGpus = true;
    run.rowLength = 128;
    run.datasetPath = "/data/corpora/enwiki-20261101-seq128";
    run.evaluateEvery = 120;
    return run;
}

support::SampleRun failedRun()
{
    support::SampleRun run;
    run.id = kFailed;
    run.name = "a-rather-long-name-that-somebody-chose-for-a-sweep-over-warmup-and-batch";
    run.hosts =
        QStringList{"rental-eu-west-3-gpu-node-000417.cluster.example.org", "gpu-11.cluster.example.org"};
    run.worldSize = 64;
    run.reached = 233;
    run.state = RunState::Failed;
    run.reason =
        "rank 37 on gpu-11.cluster.example.org was killed by signal 9 (out of memory) in all-reduce 41 of "
        "step 233";
    run.startNs = nowNs() - kDayNs;
    run.seed = 3;
    return run;
}

support::SampleRun resumedRun()
{
    support::SampleRun run;
    run.id = kResumed;
    run.name = "bert-base-phase2";
    run.hosts = QStringList{"gpu-03.cluster.example.org"};
    run.worldSize = 4;
    run.steps = run.reached = 900;
    run.killedAt = 530;
    run.resumedFrom = 500;
    run.rowLength = 512;
    run.hardware = "cpu-node";
    run.startNs = nowNs() - 2 * kDayNs;
    run.seed = 5;
    return run;
}

support::SampleRun stoppedRun()
{
    support::SampleRun run;
    run.id = kStopped;
    run.name = "lamb-probe";
    run.worldSize = 1;
    run.reached = 61;
    run.state = RunState::Stopped;
    run.reason = "stopped by the user after step 61";
    run.startNs = nowNs() - 2 * kDayNs - 36'000 * kSecondNs;
    run.seed = 7;
    return run;
}

support::SampleRun divergedRun()
{
    support::SampleRun run;
    run.id = kDiverged;
    run.name = "bert-large-phase1-lr6e-3";
    run.hosts = QStringList{"gpu-03.cluster.example.org"};
    run.worldSize = 4;
    run.steps = 2000;
    run.reached = 640;
    run.divergesAt = 560;
    run.learningRate = 6e-3;
    run.state = RunState::Stopped;
    run.reason = "stopped by the user after step 640";
    run.startNs = nowNs() - 2 * kDayNs - 50'000 * kSecondNs;
    run.seed = 8;
    return run;
}

/// Ended by its user when the held-out loss rose.
support::SampleRun overfittedRun()
{
    support::SampleRun run;
    run.id = kOverfitted;
    run.name = "bert-base-small-corpus";
    run.steps = 1000;
    run.reached = 600;
    run.evaluateEvery = 40;
    run.overfitsAt = 360;
    run.state = RunState::Stopped;
    run.reason = "stopped by the user after step 600";
    run.startNs = nowNs() - 2 * kDayNs - 60'000 * kSecondNs;
    run.seed = 11;
    return run;
}

/// Fine-tuned for a task.
support::SampleRun taskRun(const QString& id, const QString& name, TaskKind task)
{
    support::SampleRun run;
    run.id = id;
    run.name = name;
    run.steps = run.reached = 60;
    run.task = task;
    run.evaluateEvery = 5;
    run.startNs = nowNs() - 4 * kDayNs;
    run.seed = 11;
    return run;
}

/// Of 64 experts in each layer, shared by four ranks.
support::SampleRun mixtureRun()
{
    support::SampleRun run;
    run.id = kMixture;
    run.name = "mixture-64-experts";
    run.hosts = QStringList{"gpu-03.cluster.example.org"};
    run.worldSize = 4;
    run.experts = 64;
    run.steps = 400;
    run.reached = 250;
    run.state = RunState::Stopped;
    run.startNs = nowNs() - 2 * kDayNs - 72'000 * kSecondNs;
    run.seed = 15;
    return run;
}

/// In the second of its phases.
support::SampleRun phasedRun()
{
    support::SampleRun run;
    run.id = kPhased;
    run.name = "bert-base-two-phases";
    run.hosts = QStringList{"gpu-03.cluster.example.org"};
    run.worldSize = 4;
    run.steps = 900;
    run.reached = 760;
    run.secondPhaseAt = 601;
    run.state = RunState::Stopped;
    run.evaluateEvery = 60;
    run.rowLength = 128;
    run.hardware = "hgx-h100";
    run.startNs = nowNs() - 2 * kDayNs - 70'000 * kSecondNs;
    run.seed = 14;
    return run;
}

/// Finished before its last step.
support::SampleRun reachedRun()
{
    support::SampleRun run;
    run.id = kReached;
    run.name = "bert-base-to-target";
    run.steps = 1000;
    run.reached = 480;
    run.evaluateEvery = 40;
    run.heldOutTarget = 4.2;
    run.reason = "held-out loss 4.165 at step 480 reaches evaluation.target 4.2";
    run.startNs = nowNs() - 2 * kDayNs - 65'000 * kSecondNs;
    run.rowLength = 128;
    run.hardware = "hgx-h100";
    run.seed = 12;
    return run;
}

support::SampleRun studyRun(int ranks)
{
    support::SampleRun run;
    run.id = studyId(ranks);
    run.name = QStringLiteral("study-%1r").arg(ranks);
    run.worldSize = ranks;
    run.steps = run.reached = 200;
    run.rowLength = 128;
    run.hardware = "hgx-h100";
    run.evaluateEvery = 20;
    run.heldOutTarget = 5;
    run.startNs = nowNs() - 3 * kDayNs + ranks * 600 * kSecondNs;
    run.seed = unsigned(10 + ranks);
    return run;
}

/// As the agent keeps it of an attempt that goes on with pairs of tensor ranks.
void writeLayoutOfResume(const QString& folder)
{
    RunSpec spec = readRunFacts(folder)->spec.value();
    spec.layout.data /= 2;
    spec.layout.tensor = 2;
    spec.batch.accumulation *= 2;
    const QJsonObject request{{"attempt", 2},
                              {"layout", QString::fromStdString(layoutText(spec))},
                              {"nodes", QJsonArray{QJsonObject{{"host", "gpu-03.cluster.example.org"}}}}};
    (void)makeFolder((folder + "/attempts").toStdString()).ok();
    (void)writeFileAtomically((folder + "/attempts/0002.json").toStdString(),
                              QJsonDocument(request).toJson().toStdString())
        .ok();
}

} // namespace

QString studyId(int ranks)
{
    return QStringLiteral("20261118T1%1_000Z-study-%1r-0%1ab").arg(ranks).remove(QLatin1Char('_'));
}

QStringList study()
{
    return {studyId(1), studyId(2), studyId(4), studyId(8)};
}

void writeRuns(const QString& desk)
{
    QList<support::SampleRun> runs{liveRun(),
                                   failedRun(),
                                   resumedRun(),
                                   stoppedRun(),
                                   divergedRun(),
                                   overfittedRun(),
                                   reachedRun(),
                                   phasedRun(),
                                   mixtureRun(),
                                   taskRun(kAnswers, "bert-large-squad", TaskKind::Answer),
                                   taskRun(kClassifies, "bert-base-mails", TaskKind::Classify),
                                   taskRun(kTags, "bert-base-conll", TaskKind::Tag)};
    for (const int ranks : {1, 2, 4, 8})
        runs.append(studyRun(ranks));
    for (const support::SampleRun& run : runs) {
        const QString folder = support::writeSampleRun(desk + QStringLiteral("/runs"), run);
        if (run.id == kResumed)
            writeLayoutOfResume(folder);
    }
}

} // namespace trainyard::pictures
