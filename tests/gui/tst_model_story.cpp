#include <memory>

#include <QFile>
#include <QTableView>
#include <QTest>

#include "app/monitor/run_view.h"
#include "app/runs/recorded_run.h"
#include "app/workspace/page.h"
#include "tests/gui/hand.h"
#include "tests/gui/page_fixture.h"
#include "tests/support/patience.h"

using namespace trainyard;
using namespace trainyard::test;

namespace {

const QString kDump = QStringLiteral(TRAINYARD_SOURCE_DIR "/resources/samples/trainyard-sample.xml.bz2");

// The pages, as Ctrl and the digit.
constexpr int kData = 2;
constexpr int kDesign = 3;
constexpr int kRuns = 4;
constexpr int kReports = 6;

/// Two classes that a few words tell apart.
QByteArray reviews()
{
    QByteArray text = "text\tlabel\n";
    for (int i = 0; i < 60; ++i)
        text += i % 2 == 0 ? "the train was late and it was bad\tbad\n" : "a good train of the new line\tgood\n";
    return text;
}

} // namespace

/// From text to a model that a colleague can use, with keys and the mouse alone, on this computer: two lengths
/// of rows are prepared, a BERT is trained on them in two phases until its held-out loss is low enough, its
/// best checkpoint is fine-tuned on a small labelled file, tried and exported, and a report says what the
/// target took. Each test continues where the one before it ended.
class TestModelStory : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        m_desk.start();
        m_desk.window().resize(1280, 800);
        m_hand = std::make_unique<Hand>(m_desk.window());
        QFile file(m_desk.path("reviews.tsv"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        QCOMPARE(file.write(reviews()), reviews().size());
    }
    void cleanupTestCase()
    {
        m_hand.reset();
        m_desk.end();
    }

    void init()
    {
        if (m_brokenOff)
            QSKIP("the story broke off before");
    }
    void cleanup()
    {
        if (!QTest::currentTestFailed())
            return;
        m_brokenOff = true;
        const QString pictures = qEnvironmentVariable("TRAINYARD_PICTURES");
        if (!pictures.isEmpty())
            m_desk.window().grab().save(pictures + "/model-story-broken-off.png");
    }

    void preparesShortAndLongRows()
    {
        m_hand->goTo(kData);
        MUST(m_hand->press("Prepare…"));
        MUST(m_hand->write("Files", kDump));
        MUST(m_hand->write("Output folder", m_desk.path("wiki")));
        MUST(m_hand->choose("Vocabulary", "Train on the files"));
        MUST(m_hand->write("Vocabulary size", "1000"));
        MUST(m_hand->choose("Phase", "Both phases"));
        MUST(m_hand->press("Prepare"));
        AWAIT_EQUAL(sets().rowCount(), 2);
        QVERIFY(setOf(128) && setOf(512));
        MUST(m_hand->pickRow("Data sets", setOf(128)->name));
        MUST(m_hand->press("Use in a run"));
        QCOMPARE(title(), "Design");
    }

    void designsTwoPhasesWithATarget()
    {
        MUST(m_hand->write("Name", "pretrained"));
        MUST(m_hand->choose("Preset", "bert-tiny"));
        MUST(m_hand->choose("Hardware of host 1", "p4d.24xlarge")); // for a price
        MUST(m_hand->write("Slots of host 1", "1"));
        MUST(m_hand->write("Micro-batch", "4"));
        MUST(m_hand->write("Accumulation", "1"));
        MUST(m_hand->write("Evaluate every", "2"));
        MUST(m_hand->write("Evaluation target", "100"));
        MUST(m_hand->choose("Keep the best one", "yes"));
        MUST(m_hand->press("Phases"));
        MUST(m_hand->press("Add a phase"));
        MUST(m_hand->write("Phase 2: Data set", setOf(512)->folder));
        MUST(m_hand->write("Phase 2: Steps", "8"));
        MUST(m_hand->pickRow("Phases", "1"));
        MUST(m_hand->write("Phase 1: Steps", "6"));
        AWAIT(m_desk.session().document().isValid());
        QCOMPARE(m_desk.session().document().spec().launch.steps, 14);
    }

    void trainsThemToTheTarget()
    {
        MUST(m_hand->press("Launch"));
        AWAIT(title() == "Runs");
        AWAIT(run() && run()->series().steps().size() > 6);
        AWAIT(m_hand->sees("Phase 2 of 2"));
        AWAIT_EQUAL(run()->series().status().state, RunState::Finished);
        AWAIT_EQUAL(run()->series().steps().size(), 8); // reached at the first evaluation of the last phase
        AWAIT(run()->series().evaluations().size() >= 4);
        m_pretrained = run()->id();
    }

    void preparesLabelledExamples()
    {
        m_hand->goTo(kData);
        MUST(m_hand->press("Prepare…"));
        MUST(m_hand->choose("Task", "Classification"));
        MUST(m_hand->write("Files", m_desk.path("reviews.tsv")));
        MUST(m_hand->write("Output folder", m_desk.path("reviews")));
        MUST(m_hand->write("Vocabulary file", setOf(128)->folder + "/vocab.txt"));
        MUST(m_hand->write("Sequence length", "32"));
        MUST(m_hand->write("Held out", "0.2"));
        MUST(m_hand->press("Prepare"));
        AWAIT_EQUAL(sets().rowCount(), 3);
        QVERIFY(setOf(32));
        MUST(m_hand->press("Use in a run"));
        QCOMPARE(title(), "Design");
        QVERIFY(m_hand->sees("The task was set: 2 classes."));
    }

    void fineTunesTheBestCheckpoint()
    {
        MUST(m_hand->press("Remove the phase"));
        MUST(m_hand->press("Remove the phase"));
        MUST(m_hand->write("Name", "finetuned"));
        MUST(m_hand->write("Steps", "30"));
        MUST(m_hand->write("Learning rate", "0.003"));
        MUST(m_hand->write("Begin from", m_pretrained));
        MUST(m_hand->write("Evaluation target", "0"));
        MUST(m_hand->choose("Evaluation metric", "accuracy"));
        AWAIT(m_hand->canPress("Launch"));
        MUST(m_hand->press("Launch"));
        AWAIT(title() == "Runs");
        AWAIT(run() && run()->facts().spec && run()->facts().spec->name == "finetuned");
        AWAIT_EQUAL(run()->series().status().state, RunState::Finished);
        const EvaluationTable& evaluations = run()->series().evaluations();
        AWAIT(evaluations.size() > 0 && evaluations.at(evaluations.size() - 1).step == 30);
        QCOMPARE(evaluations.at(evaluations.size() - 1).tokenAccuracy, 1.0);
    }

    void triesIt()
    {
        MUST(m_hand->openTab("Checkpoints"));
        MUST(m_hand->pickRow("Checkpoints", "30"));
        MUST(m_hand->press("Try on a text"));
        AWAIT(title() == "Try");
        MUST(m_hand->write("Text", "it was late and bad"));
        MUST(m_hand->press("Try this text"));
        AWAIT(m_hand->canPress("Try this text"));
        const auto tables = m_desk.window().findChildren<QTableView*>();
        const auto shown = std::ranges::find_if(tables, [](const QTableView* table) {
            return table->isVisible() && table->model() && table->model()->rowCount() == 2;
        });
        QVERIFY(shown != tables.end());
        QCOMPARE((*shown)->model()->index(0, 0).data().toString(), "bad");
    }

    void handsItOver()
    {
        m_hand->goTo(kRuns);
        MUST(m_hand->openTab("Checkpoints"));
        MUST(m_hand->pickRow("Checkpoints", "30"));
        MUST(m_hand->saveAs("Export model…", m_desk.path("for-a-colleague")));
        MUST(m_hand->press("Export"));
        AWAIT(m_hand->sees("Exported the model to"));
        for (const char* file : {"README.md", "config.json", "model.safetensors", "tokenizer.json", "vocab.txt"})
            QVERIFY2(QFile::exists(m_desk.path("for-a-colleague/") + file), file);
    }

    void reportsWhatTheTargetTook()
    {
        m_hand->goTo(kReports);
        MUST(m_hand->press("Clear selection"));
        MUST(m_hand->pickRow("Runs to choose from", "pretrained"));
        const QString file = m_desk.path("report.json");
        MUST(m_hand->saveAs("Save as JSON…", file));
        AWAIT(QFile::exists(file));
        QFile saved(file);
        QVERIFY(saved.open(QIODevice::ReadOnly));
        const QByteArray report = saved.readAll();
        QVERIFY(report.contains("Time, tokens and cost to"));
        QVERIFY(report.contains("USD"));
        QVERIFY(!report.contains("not reached"));
    }

private:
    DataSetListModel& sets() { return m_desk.session().dataSets(); }
    const DataSetEntry* setOf(int length)
    {
        for (int row = 0; row < sets().rowCount(); ++row) {
            if (sets().at(row).sequenceLength == length)
                return &sets().at(row);
        }
        return nullptr;
    }
    QString title() { return m_desk.window().currentPage()->title(); }
    OpenRun* run() { return m_desk.window().findChild<RunView*>()->run(); }

    PageFixture m_desk;
    std::unique_ptr<Hand> m_hand;
    QString m_pretrained;
    bool m_brokenOff = false;
};

QTEST_MAIN(TestModelStory)
#include "tst_model_story.moc"
