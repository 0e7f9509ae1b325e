#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

#include "app/monitor/run_view.h"
#include "app/shell/desk_window.h"
#include "app/workspace/page.h"
#include "tests/gui/hand.h"
#include "tests/support/bundle/engine_bundle.h"
#include "tests/support/lab/lab_process.h"
#include "tests/support/lab/netns_lab.h"
#include "tests/support/patience.h"

using namespace trainyard;
using namespace trainyard::test;

namespace {

const QString kDump = QStringLiteral(TRAINYARD_SOURCE_DIR "/resources/samples/trainyard-sample.xml.bz2");

} // namespace

/// A first day with Trainyard, with keys and the mouse alone: a machine behind a real sshd is added and
/// checked, prepares data, trains, is watched, stopped and resumed; two runs are compared and reported on.
/// Each test goes on where the one before it ended.
class TestStory : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        if (const QString why = lab::NetnsLab::whyNot(); !why.isEmpty())
            QSKIP(qPrintable(why));
        qputenv("TRAINYARD_DATA", path("desk").toUtf8());
        qputenv("TRAINYARD_BUNDLE", path("bundle").toUtf8());
        const QString missing = support::bundleEngine(path("bundle"));
        QVERIFY2(missing.isEmpty(), qPrintable(missing));
        m_lab = std::make_unique<lab::NetnsLab>(lab::NetnsLab::Options{1, "1200m", {}});
        const QString trouble = m_lab->start();
        QVERIFY2(trouble.isEmpty(), qPrintable(trouble));
        m_host = m_lab->host(0).address();
        QVERIFY(lab::runCommand({"cp", kDump, m_lab->host(0).path("/root/wiki.xml.bz2")}).ok());

        m_desk = std::make_unique<DeskWindow>(*qApp, path("desk").toStdString(), m_lab->targetOptions());
        m_desk->window().resize(1280, 800);
        m_desk->window().show();
        QVERIFY(QTest::qWaitForWindowExposed(&m_desk->window(), kPatienceMs));
        m_desk->window().activateWindow();
        m_hand = std::make_unique<Hand>(m_desk->window());
    }
    void cleanupTestCase()
    {
        m_hand.reset();
        m_desk.reset();
        m_lab.reset();
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
            m_desk->window().grab().save(pictures + "/story-broken-off.png");
    }

    void addsAHostAndChecksIt()
    {
        m_hand->goTo(1);
        MUST(m_hand->press("Add host…"));
        MUST(m_hand->write("Host", m_host));
        MUST(m_hand->press("Add and check"));
        MUST(m_hand->press("Accept")); // its key, which nobody has seen before
        const HostListModel& hosts = m_desk->session().hosts();
        AWAIT(hosts.at(hosts.rowOf(m_host)).report.has_value());
        AWAIT(m_hand->sees("ready"));
    }

    void preparesADataSetThere()
    {
        m_hand->goTo(2);
        MUST(m_hand->press("Prepare…"));
        MUST(m_hand->choose("Host", m_host));
        MUST(m_hand->write("Files", "/root/wiki.xml.bz2"));
        MUST(m_hand->write("Output folder", "/root/wiki"));
        MUST(m_hand->choose("Vocabulary", "Train on the files"));
        MUST(m_hand->write("Vocabulary size", "1000"));
        MUST(m_hand->press("Prepare"));
        DataSetListModel& sets = m_desk->session().dataSets();
        AWAIT(sets.rowCount() == 1);
        MUST(m_hand->press("Verify"));
        AWAIT_EQUAL(sets.at(0).check, DataSetEntry::Check::Verified);
        QVERIFY(sets.at(0).rows > 100);
        MUST(m_hand->press("Use in a run"));
        QCOMPARE(title(), "Design");
    }

    void designsARunForIt()
    {
        MUST(m_hand->write("Name", "first"));
        MUST(m_hand->write("Steps", "100000"));
        MUST(m_hand->write("Slots of host 1", "2"));
        MUST(m_hand->choose("Preset", "bert-tiny"));
        MUST(m_hand->write("Data parallel", "2"));
        MUST(m_hand->write("Micro-batch", "2"));
        AWAIT(m_desk->session().document().isValid());
        const RunSpec& spec = m_desk->session().document().spec();
        QCOMPARE(spec.cluster.nodes.front().host, m_host.toStdString()); // where the rows lie
        QCOMPARE(spec.layout.data, 2);
        QCOMPARE(spec.batch.global, spec.batch.micro * spec.batch.accumulation * 2);
    }

    void launchesAndWatchesIt()
    {
        MUST(m_hand->press("Launch"));
        AWAIT(title() == "Runs");
        AWAIT(run() && run()->series().steps().size() >= 5);
        AWAIT_EQUAL(run()->link(), RunLink::Live);
        MUST(m_hand->openTab("Devices"));
        AWAIT(run()->series().ranks().size() == 2);
        MUST(m_hand->openTab("Log"));
        MUST(m_hand->openTab("Charts"));
    }

    void stopsAndResumesIt()
    {
        MUST(m_hand->press("Stop…"));
        MUST(m_hand->press("Stop the run"));
        AWAIT_EQUAL(run()->series().status().state, RunState::Stopped);
        const qsizetype before = run()->series().steps().size();
        MUST(m_hand->press("Resume"));
        AWAIT_EQUAL(run()->series().status().attempt, 2u);
        AWAIT(run()->series().steps().size() > before);
        MUST(m_hand->press("Stop…"));
        MUST(m_hand->press("Stop the run"));
        AWAIT_EQUAL(run()->series().status().state, RunState::Stopped);
    }

    void trainsAnotherToTheEnd()
    {
        m_hand->goTo(3);
        MUST(m_hand->write("Name", "second"));
        MUST(m_hand->write("Steps", "20"));
        MUST(m_hand->write("Learning rate", "0.001"));
        MUST(m_hand->press("Launch"));
        AWAIT(title() == "Runs");
        AWAIT(run() && run()->facts().spec && run()->facts().spec->name == "second");
        AWAIT_EQUAL(run()->series().status().state, RunState::Finished);
        AWAIT_EQUAL(run()->series().steps().size(), 20);
    }

    void comparesTheTwo()
    {
        m_hand->goTo(5);
        MUST(m_hand->press("Clear selection"));
        MUST(m_hand->pickRow("Runs to choose from", "second"));
        MUST(m_hand->pickRow("Runs to choose from", "first"));
        MUST(m_hand->openTab("Differences"));
        MUST(m_hand->pickRow("Differences", "Steps"));
        MUST(m_hand->openTab("Final metrics"));
    }

    void reportsOnThem()
    {
        m_hand->goTo(6);
        MUST(m_hand->press("Clear selection"));
        MUST(m_hand->pickRow("Runs to choose from", "second"));
        for (const QString ending : {"pdf", "html", "csv", "json"}) {
            const QString file = path("report." + ending);
            MUST(m_hand->saveAs(buttonFor(ending), file));
            AWAIT(QFileInfo(file).size() > 500);
        }
    }

private:
    QString path(const QString& name) const { return m_folder.filePath(name); }
    QString title() const { return m_desk->window().currentPage()->title(); }
    OpenRun* run() const { return m_desk->window().findChild<RunView*>()->run(); }
    static QString buttonFor(const QString& ending)
    {
        return ending == "html" ? QString("Save as web page…") : "Save as " + ending.toUpper() + "…";
    }

    QTemporaryDir m_folder{
        "/dev/shm/trainyard-story-XXXXXX"}; // the bundle has half a GiB: not on a slow disk
    std::unique_ptr<lab::NetnsLab> m_lab;
    std::unique_ptr<DeskWindow> m_desk;
    std::unique_ptr<Hand> m_hand;
    QString m_host;
    bool m_brokenOff = false;
};

QTEST_MAIN(TestStory)
#include "tst_story.moc"
