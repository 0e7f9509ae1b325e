#include "tests/gui/pictures/run_pictures.h"

#include <QApplication>
#include <QCheckBox>
#include <QDateTime>
#include <QDockWidget>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLineEdit>
#include <QMap>
#include <QMouseEvent>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTabWidget>
#include <QTableView>
#include <QToolButton>

#include "app/alerts/alert_actions.h"
#include "app/history/compare_page.h"
#include "app/monitor/checkpoints_tab.h"
#include "app/monitor/device_board.h"
#include "app/monitor/events_tab.h"
#include "app/monitor/log_tab.h"
#include "app/monitor/run_view.h"
#include "app/monitor/runs_page.h"
#include "app/report/reports_page.h"
#include "app/runs/run_store.h"
#include "app/trial/answer_view.h"
#include "app/trial/try_page.h"
#include "app/workspace/message_bar.h"
#include "app/workspace/panel_area.h"
#include "engine/base/file.h"
#include "engine/spec/layout_change.h"
#include "remote/launch/run_service.h"
#include "tests/gui/pictures/picture.h"
#include "tests/support/sample_run/sample_run.h"

namespace trainyard::pictures {

namespace {

constexpr std::int64_t kSecondNs = 1'000'000'000;
constexpr std::int64_t kDayNs = 86'400 * kSecondNs;

const QString kLive = QStringLiteral("20261121T081500Z-bert-large-phase1-3f2a");
const QString kFailed = QStringLiteral(
    "20261120T101010Z-a-rather-long-name-that-somebody-chose-for-a-sweep-over-warmup-and-batch-00aa");
const QString kResumed = QStringLiteral("20261119T193000Z-bert-base-phase2-77c1");
const QString kStopped = QStringLiteral("20261119T070000Z-lamb-probe-51d0");
const QString kDiverged = QStringLiteral("20261119T010000Z-bert-large-phase1-lr6e-3-61d1");
const QString kOverfitted = QStringLiteral("20261118T230000Z-bert-base-small-corpus-9e04");
const QString kReached = QStringLiteral("20261118T210000Z-bert-base-to-target-2c5d");
const QString kAnswers = QStringLiteral("20261117T210000Z-bert-large-squad-7a10");
const QString kClassifies = QStringLiteral("20261117T200000Z-bert-base-mails-7a11");
const QString kTags = QStringLiteral("20261117T190000Z-bert-base-conll-7a12");
const QString kPhased = QStringLiteral("20261118T190000Z-bert-base-two-phases-8d13");
const QString kGone = QStringLiteral("20260301T070000Z-long-ago-0b0b");

std::int64_t nowNs()
{
    return QDateTime::currentMSecsSinceEpoch() * 1'000'000;
}

/// The panels by their ids.
constexpr auto Charts = "charts", Devices = "devices", Timeline = "timeline", Plan = "plan",
               Scaling = "scaling", Log = "log", Events = "events", Checkpoints = "checkpoints",
               Specification = "specification", Notes = "notes";

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

QString studyId(int ranks)
{
    return QStringLiteral("20261118T1%1_000Z-study-%1r-0%1ab").arg(ranks).remove(QLatin1Char('_'));
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

QStringList study()
{
    return {studyId(1), studyId(2), studyId(4), studyId(8)};
}

void unfoldThresholds(QWidget& view, bool unfolded)
{
    for (auto* fold : view.findChild<EventsTab*>()->findChildren<QToolButton*>()) {
        if (fold->text() == EventsTab::tr("Thresholds"))
            fold->setChecked(unfolded);
    }
}

void showRun(DeskWindow& desk, const QString& id, const char* panel)
{
    auto& page = placeOf<RunsPage>(desk);
    page.showRun(id);
    for (auto* messages : page.findChildren<MessageBar*>())
        messages->clear();
    auto* view = page.findChild<RunView*>();
    unfoldThresholds(*view, false);
    PanelArea& panels = view->panels();
    panels.showPanel(*panels.panel(QLatin1String(panel)));
}

void showLive(DeskWindow& desk, const char* panel, RunLink link = RunLink::Live)
{
    desk.session().runStore().open(kLive).value()->setLink(link);
    showRun(desk, kLive, panel);
}

void showLogOfAll(DeskWindow& desk)
{
    showLive(desk, Log);
    for (auto* field : desk.window().findChild<LogTab*>()->findChildren<QLineEdit*>()) {
        if (field->accessibleName() != LogTab::tr("Ranks"))
            continue;
        field->setText(QStringLiteral("all"));
        emit field->editingFinished();
    }
}

void press(QWidget& parent, const QString& text)
{
    for (auto* button : parent.findChildren<QPushButton*>()) {
        if (button->isVisible() && button->text() == text)
            return button->click();
    }
}

void showChosenDevice(DeskWindow& desk)
{
    showLive(desk, Devices);
    auto* board = desk.window().findChild<DeviceBoard*>();
    QMouseEvent click(QEvent::MouseButtonPress, QPointF(20, 20), board->mapToGlobal(QPointF(20, 20)),
                      Qt::LeftButton, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(board, &click);
}

void showStopQuestion(DeskWindow& desk)
{
    showLive(desk, Charts);
    press(*desk.window().findChild<RunView*>(), RunView::tr("Stop…"));
}

void showThresholds(DeskWindow& desk)
{
    showLive(desk, Events);
    unfoldThresholds(*desk.window().findChild<RunView*>(), true);
}

void showLowerRate(DeskWindow& desk)
{
    showRun(desk, kDiverged, Events);
    QCoreApplication::processEvents(); // the alert is shown once the panel is laid out
    press(*desk.window().findChild<RunView*>(), labelOf(AlertAction::LowerRate));
}

RunCheckpoint checkpointOf(qint64 step, const QString& suffix, const QString& state, const QString& reason)
{
    RunCheckpoint checkpoint;
    checkpoint.step = step;
    checkpoint.folder = QStringLiteral("step-%1%2").arg(step, 9, 10, QLatin1Char('0')).arg(suffix);
    checkpoint.state = state;
    checkpoint.reason = reason;
    checkpoint.bytes = 4'061'331'456;
    return checkpoint;
}

/// Of every kind.
QList<RunCheckpoint> checkpointsOfEveryKind()
{
    QList<RunCheckpoint> all{
        checkpointOf(600, {}, "damaged",
                     "/home/trainer/.trainyard/runs/" + kDiverged +
                         "/checkpoints/step-000000600/shard-0003-of-0004.safetensors has 812 646 400 bytes, "
                         "but the manifest tells of 1 015 332 864; the last 202 686 464 bytes, in which "
                         "optimizer/exp_avg_sq/bert.encoder.layer.23.output.dense.weight lies, are missing"),
        checkpointOf(560, {}, "whole", {}),
        checkpointOf(500, {}, "unreadable", "manifest.json: Stale file handle"),
        checkpointOf(480, ".line-1", "abandoned", "the run has left branch 1"),
        checkpointOf(400, {}, "whole", {}),
        checkpointOf(400, ".damaged", "damaged", "set aside: manifest.json differs from its hash"),
        checkpointOf(300, {}, "whole", {}),
    };
    all[0].latest = true;
    all[1].next = true;
    all[4].best = true;
    all[1].verified = all[4].verified = true;
    return all;
}

/// As if the run's head had answered.
void showCheckpoints(DeskWindow& desk, const Result<QList<RunCheckpoint>>& listed)
{
    showRun(desk, kDiverged, Checkpoints);
    QCoreApplication::processEvents(); // it is laid out, and asks hosts that there are not
    auto* tab = desk.window().findChild<CheckpointsTab*>();
    tab->show(**desk.session().runStore().open(kDiverged), true);
    tab->take(QList<RunCheckpoint>()); // not those of the picture before
    tab->take(listed);
}

void chooseCheckpoint(DeskWindow& desk, int row)
{
    showCheckpoints(desk, checkpointsOfEveryKind());
    desk.window().findChild<CheckpointsTab*>()->findChild<QTableView*>()->selectRow(row);
}

void showWayBack(DeskWindow& desk)
{
    chooseCheckpoint(desk, 4);
    press(*desk.window().findChild<RunView*>(), CheckpointsTab::tr("Resume from this checkpoint"));
}

void showGone(DeskWindow& desk)
{
    RunEntry gone;
    gone.id = kGone;
    gone.name = QStringLiteral("long-ago");
    gone.state = RunState::Finished;
    (void)desk.session().runStore().history().store(gone).ok();
    placeOf<RunsPage>(desk).showRun(kGone);
}

void showEndOfDemo(DeskWindow& desk)
{
    showRun(desk, studyId(2), Charts);
    placeOf<RunsPage>(desk).offerNextSteps(studyId(2));
}

void forgetGone(DeskWindow& desk)
{
    (void)desk.session().runStore().history().remove(kGone).ok();
}

void compare(DeskWindow& desk, const QStringList& runs, int tab)
{
    forgetGone(desk);
    auto& page = placeOf<ComparePage>(desk);
    page.setChosen(runs);
    page.findChild<QTabWidget*>()->setCurrentIndex(tab);
}

void report(DeskWindow& desk, const QStringList& runs)
{
    forgetGone(desk);
    placeOf<ReportsPage>(desk).setChosen(runs);
}

void failToExport(DeskWindow& desk)
{
    placeOf<ReportsPage>(desk).exportTo(QStringLiteral("/no/such/folder/report.pdf"));
}

/// A trial of this run's checkpoint, and of another one next to it if there is a second status.
void showTrial(DeskWindow& desk, const QString& run, const QList<TrialStatus>& statuses)
{
    forgetGone(desk);
    auto& page = placeOf<TryPage>(desk);
    page.setModel(run, 2000);
    page.findChild<QCheckBox*>(QStringLiteral("compares"))->setChecked(statuses.size() > 1);
    page.findChild<QPlainTextEdit*>(QStringLiteral("text"))->setPlainText(statuses.first().text.text);
    page.findChild<QPlainTextEdit*>(QStringLiteral("pair"))->setPlainText(statuses.first().text.pair);
    const auto views = page.findChildren<AnswerView*>();
    for (qsizetype i = 0; i < statuses.size(); ++i)
        views[i]->setStatus(statuses[i]);
}

TrialStatus trialOf(const QString& model, const QString& text, const QString& output)
{
    TrialStatus status;
    status.state = TrialStatus::State::Done;
    status.model = model;
    status.text = {text};
    status.seconds = 2.4;
    (void)status.answer.take(output).ok();
    return status;
}

TrialStatus filledMasks(const QString& model, double best)
{
    const QString answer = QStringLiteral(R"({"token":%1,"text":"%2","probability":%3})");
    QStringList masks;
    for (const QStringList& words : {QStringList{"station", "city", "platform", "town", "village"},
                                     QStringList{"midnight", "noon", "night", "dawn", "##time"}}) {
        QStringList answers;
        double left = 1;
        for (const QString& word : words) {
            answers << answer.arg(answers.size()).arg(word).arg(left * best);
            left *= 1 - best;
        }
        masks << QStringLiteral(R"({"position":1,"answers":[%1]})").arg(answers.join(','));
    }
    return trialOf(model, QStringLiteral("The last train leaves the [MASK] long before [MASK]."),
                   QStringLiteral("{\"masks\":[[%1]]}\n").arg(masks.join(',')));
}

TrialStatus continuedText(const QString& model, const QString& continuation)
{
    QString output;
    for (const QString& word : continuation.split(' '))
        output += QStringLiteral("{\"prompt\":0,\"token\":1,\"text\":\" %1\"}\n").arg(word);
    return trialOf(model, QStringLiteral("The first railway of the country"), output);
}

TrialStatus classified(const QString& model, double best)
{
    const QString label = QStringLiteral(R"({"label":"%1","id":%2,"probability":%3})");
    QStringList labels;
    double left = 1;
    for (const QString& name : {QStringLiteral("delay"), QStringLiteral("ticket refund"),
                                QStringLiteral("lost property"), QStringLiteral("praise")}) {
        labels << label.arg(name).arg(labels.size()).arg(left * best);
        left *= 1 - best;
    }
    return trialOf(model, QStringLiteral("The train was forty minutes late and nobody told us why."),
                   QStringLiteral("{\"labels\":[[%1]]}\n").arg(labels.join(',')));
}

/// With so many words that the table scrolls.
TrialStatus tagged()
{
    const QString text =
        QStringLiteral("The last train from Vienna to Prague was driven by Anna Novak of the "
                       "Northern Railway on 3 May.");
    const QMap<QString, QString> labels{{"Vienna", "B-LOC"}, {"Prague", "B-LOC"},   {"Anna", "B-PER"},
                                        {"Novak", "I-PER"},  {"Northern", "B-ORG"}, {"Railway", "I-ORG"}};
    const QString word = QStringLiteral(
        R"({"text":"%1","begin":%2,"end":%3,"labels":[{"label":"%4","id":0,"probability":%5}]})");
    QStringList words;
    qsizetype begin = 0;
    for (const QString& each : text.split(' ')) {
        words << word.arg(each)
                     .arg(begin)
                     .arg(begin + each.size())
                     .arg(labels.value(each, "O"))
                     .arg(labels.contains(each) ? 0.94 : 0.998);
        begin += each.size() + 1;
    }
    return trialOf(QStringLiteral("bert-base-conll · Step 2 000"), text,
                   QStringLiteral("{\"words\":[[%1]]}\n").arg(words.join(',')));
}

TrialStatus answered()
{
    const QString context = QStringLiteral(
        "The first railway of the country was opened in 1837 between the capital and the summer residence, a "
        "line of about twenty kilometres. The engines had been built abroad and came by ship; the coaches "
        "were "
        "made in the workshops of the town under the direction of Franz von Gerstner, who had planned the "
        "line.");
    const QString answer = QStringLiteral(R"({"text":"%1","begin":%2,"end":%3,"score":%4,"probability":%5})");
    QStringList answers;
    double score = 13.2;
    double left = 1;
    for (const QString& text :
         {QStringLiteral("Franz von Gerstner"), QStringLiteral("von Gerstner"), QStringLiteral("Gerstner"),
          QStringLiteral("the direction of Franz von Gerstner")}) {
        const qsizetype begin = context.indexOf(text);
        answers << answer.arg(text).arg(begin).arg(begin + text.size()).arg(score).arg(left * 0.81);
        score -= 2.1;
        left *= 0.19;
    }
    answers << QStringLiteral(R"({"text":"","score":1.3,"probability":0.0008})");
    TrialStatus status = trialOf(QStringLiteral("bert-large-squad · Best by held-out evaluation"),
                                 QStringLiteral("Who planned the line?"),
                                 QStringLiteral("{\"answers\":[[%1]]}\n").arg(answers.join(',')));
    status.text.pair = context;
    return status;
}

const QString kContinuation = QStringLiteral(
    "was opened in 1837 between the capital and the summer residence , a line of about twenty kilometres "
    "that carried two and a half thousand passengers on its first day . The engines had been built abroad "
    "and "
    "came by ship ; the coaches were made in the workshops of the town .");

TrialStatus failedTrial()
{
    TrialStatus status =
        trialOf(QStringLiteral("bert-base-phase2 · Newest"), QStringLiteral("The [MASK]"), {});
    status.state = TrialStatus::State::Failed;
    status.error = badInput("the vocabulary of the run's data set cannot be read: "
                            "/data/corpora/enwiki-20261101-seq128/manifest.json: no such file or directory",
                            "name the model's vocab.txt with --vocab, or give numbers with --token-ids");
    return status;
}

TrialStatus startingTrial()
{
    TrialStatus status;
    status.state = TrialStatus::State::Starting;
    status.model = QStringLiteral("bert-large-phase1 · Step 2 000");
    status.text = {QStringLiteral("The [MASK]")};
    status.activity = QStringLiteral("loading the model on gpu-03.cluster.example.org");
    return status;
}

QStringList newestRuns(DeskWindow& desk, qsizetype most)
{
    QStringList ids;
    for (const RunEntry& entry : desk.session().runStore().history().runs().mid(0, most))
        ids.append(entry.id);
    return ids;
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

const QList<Picture>& runPictures()
{
    static const QList<Picture> list{
        {"runs", [](DeskWindow& desk) { showLive(desk, Charts); }},
        {"runs-devices", [](DeskWindow& desk) { showLive(desk, Devices); }},
        {"runs-device-chosen", showChosenDevice},
        {"runs-timeline", [](DeskWindow& desk) { showLive(desk, Timeline); }},
        {"runs-timeline-64", [](DeskWindow& desk) { showRun(desk, kFailed, Timeline); }},
        {"runs-scaling", [](DeskWindow& desk) { showRun(desk, studyId(4), Scaling); }},
        {"runs-scaling-none", [](DeskWindow& desk) { showRun(desk, kFailed, Scaling); }},
        {"runs-plan", [](DeskWindow& desk) { showLive(desk, Plan); }},
        {"runs-plan-unknown", [](DeskWindow& desk) { showRun(desk, kFailed, Plan); }},
        {"runs-log", [](DeskWindow& desk) { showLive(desk, Log); }},
        {"runs-log-all", showLogOfAll},
        {"runs-events", [](DeskWindow& desk) { showLive(desk, Events); }},
        {"runs-thresholds", showThresholds},
        {"runs-diverged", [](DeskWindow& desk) { showRun(desk, kDiverged, Events); }},
        {"runs-lower-rate", showLowerRate},
        {"runs-overfitted", [](DeskWindow& desk) { showRun(desk, kOverfitted, Charts); }},
        {"runs-overfitted-events", [](DeskWindow& desk) { showRun(desk, kOverfitted, Events); }},
        {"runs-target", [](DeskWindow& desk) { showRun(desk, kReached, Charts); }},
        {"runs-phases", [](DeskWindow& desk) { showRun(desk, kPhased, Charts); }},
        {"runs-phases-plan", [](DeskWindow& desk) { showRun(desk, kPhased, Plan); }},
        {"runs-checkpoints", [](DeskWindow& desk) { showCheckpoints(desk, checkpointsOfEveryKind()); }},
        {"runs-checkpoints-damaged", [](DeskWindow& desk) { chooseCheckpoint(desk, 0); }},
        {"runs-checkpoints-back", showWayBack},
        {"runs-checkpoints-none", [](DeskWindow& desk) { showCheckpoints(desk, QList<RunCheckpoint>()); }},
        {"runs-checkpoints-unreachable",
         [](DeskWindow& desk) {
             showCheckpoints(desk, unreachable("gpu-03.cluster.example.org: no route to host"));
         }},
        {"runs-specification", [](DeskWindow& desk) { showLive(desk, Specification); }},
        {"runs-notes", [](DeskWindow& desk) { showLive(desk, Notes); }},
        {"runs-stop", showStopQuestion},
        {"runs-link-lost", [](DeskWindow& desk) { showLive(desk, Charts, RunLink::Lost); }},
        {"runs-link-behind", [](DeskWindow& desk) { showLive(desk, Charts, RunLink::CatchingUp); }},
        {"runs-failed", [](DeskWindow& desk) { showRun(desk, kFailed, Charts); }},
        {"runs-failed-devices", [](DeskWindow& desk) { showRun(desk, kFailed, Devices); }},
        {"runs-failed-events", [](DeskWindow& desk) { showRun(desk, kFailed, Events); }},
        {"runs-resumed", [](DeskWindow& desk) { showRun(desk, kResumed, Charts); }},
        {"runs-plan-resumed", [](DeskWindow& desk) { showRun(desk, kResumed, Plan); }},
        {"runs-demo-end", showEndOfDemo},
        {"runs-task", [](DeskWindow& desk) { showRun(desk, kClassifies, Charts); }},
        {"runs-stopped", [](DeskWindow& desk) { showRun(desk, kStopped, Charts); }},
        {"runs-gone", showGone},
        {"compare",
         [](DeskWindow& desk) {
             compare(desk, {kLive, kFailed, kResumed, kStopped}, 0);
         }},
        {"compare-held-out",
         [](DeskWindow& desk) {
             compare(desk, {kOverfitted, kReached, kLive}, 0);
         }},
        {"compare-differences",
         [](DeskWindow& desk) {
             compare(desk, {kLive, kFailed, kResumed}, 1);
         }},
        {"compare-scaling", [](DeskWindow& desk) { compare(desk, study(), 2); }},
        {"compare-none", [](DeskWindow& desk) { compare(desk, {}, 0); }},
        {"reports", [](DeskWindow& desk) { report(desk, {kResumed}); }},
        {"reports-study", [](DeskWindow& desk) { report(desk, study()); }},
        {"reports-target", [](DeskWindow& desk) { report(desk, {kReached}); }},
        {"reports-phases", [](DeskWindow& desk) { report(desk, {kPhased}); }},
        {"reports-task", [](DeskWindow& desk) { report(desk, {kAnswers}); }},
        {"reports-long-names",
         [](DeskWindow& desk) {
             report(desk, {kFailed, kLive});
         }},
        {"reports-failed", failToExport},
        {"reports-none", [](DeskWindow& desk) { report(desk, {}); }},
        {"try",
         [](DeskWindow& desk) {
             showTrial(desk, kResumed, {filledMasks("bert-base-phase2 · Newest", 0.62)});
         }},
        {"try-two",
         [](DeskWindow& desk) {
             showTrial(desk, kResumed,
                       {filledMasks("bert-base-phase2 · Step 2 000", 0.31),
                        filledMasks("bert-base-phase2 · Newest", 0.62)});
         }},
        {"try-text",
         [](DeskWindow& desk) {
             showTrial(
                 desk, kResumed,
                 {continuedText("gpt-small · Step 1 000", kContinuation.left(kContinuation.size() / 3)),
                  continuedText("gpt-small-with-a-long-name-that-does-not-fit · Newest", kContinuation)});
         }},
        {"try-classified",
         [](DeskWindow& desk) {
             showTrial(desk, kClassifies,
                       {classified("bert-base-mails · Step 1 000", 0.44),
                        classified("bert-base-mails · Newest", 0.83)});
         }},
        {"try-tagged", [](DeskWindow& desk) { showTrial(desk, kTags, {tagged()}); }},
        {"try-answered", [](DeskWindow& desk) { showTrial(desk, kAnswers, {answered()}); }},
        {"try-value",
         [](DeskWindow& desk) {
             showTrial(desk, kClassifies,
                       {trialOf("bert-base-sts · Newest", "The train is late.", "{\"values\":[3.8721]}\n")});
         }},
        {"try-starting", [](DeskWindow& desk) { showTrial(desk, kLive, {startingTrial()}); }},
        {"try-failed", [](DeskWindow& desk) { showTrial(desk, kResumed, {failedTrial()}); }}};
    return list;
}

const QList<Picture>& recordedRunPictures()
{
    static const QList<Picture> list{
        {"recorded-runs", [](DeskWindow& desk) { showRun(desk, newestRuns(desk, 1).value(0), Charts); }},
        {"recorded-devices", [](DeskWindow& desk) { showRun(desk, newestRuns(desk, 1).value(0), Devices); }},
        {"recorded-timeline",
         [](DeskWindow& desk) { showRun(desk, newestRuns(desk, 1).value(0), Timeline); }},
        {"recorded-timeline-2",
         [](DeskWindow& desk) { showRun(desk, newestRuns(desk, 2).value(1), Timeline); }},
        {"recorded-timeline-3",
         [](DeskWindow& desk) { showRun(desk, newestRuns(desk, 3).value(2), Timeline); }},
        {"recorded-timeline-4",
         [](DeskWindow& desk) { showRun(desk, newestRuns(desk, 4).value(3), Timeline); }},
        {"recorded-log", [](DeskWindow& desk) { showRun(desk, newestRuns(desk, 1).value(0), Log); }},
        {"recorded-events", [](DeskWindow& desk) { showRun(desk, newestRuns(desk, 1).value(0), Events); }},
        {"recorded-checkpoints",
         [](DeskWindow& desk) { showRun(desk, newestRuns(desk, 1).value(0), Checkpoints); }},
        {"recorded-compare", [](DeskWindow& desk) { compare(desk, newestRuns(desk, 3), 2); }},
        {"recorded-reports", [](DeskWindow& desk) { report(desk, newestRuns(desk, 3)); }}};
    return list;
}

} // namespace trainyard::pictures
