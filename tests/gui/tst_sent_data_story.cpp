#include <QApplication>
#include <QDir>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

#include "app/monitor/run_view.h"
#include "app/shell/desk_window.h"
#include "app/workspace/page.h"
#include "tests/gui/hand.h"
#include "tests/gui/picture.h"
#include "tests/support/bundle/engine_bundle.h"
#include "tests/support/lab/lab_process.h"
#include "tests/support/lab/netns_lab.h"
#include "tests/support/patience.h"

using namespace trainyard;
using namespace trainyard::test;

namespace {

const QString kDump = QStringLiteral(TRAINYARD_SOURCE_DIR "/resources/samples/trainyard-sample.xml.bz2");
constexpr int kHosts = 2;

// The pages, as Ctrl and the digit.
constexpr int kHostsPage = 1;
constexpr int kDataPage = 2;
constexpr int kDesignPage = 3;

} // namespace

/// With keys and the mouse alone: a data set is prepared on this computer, two fresh hosts behind a real sshd
/// are to train on it, the window offers to send it to them, and they train; then it is removed from one.
/// Each test continues where the one before it ended.
class TestSentDataStory : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        if (const QString why = lab::NetnsLab::whyNot(); !why.isEmpty())
            QSKIP(qPrintable(why));
        qputenv("TRAINYARD_DATA", path("desk").toUtf8());
        qputenv("TRAINYARD_HOME", path("home").toUtf8());
        qputenv("TRAINYARD_BIN", TRAINYARD_BIN_DIR);
        qputenv("TRAINYARD_BUNDLE", path("bundle").toUtf8());
        const QString missing = support::bundleEngine(path("bundle"));
        QVERIFY2(missing.isEmpty(), qPrintable(missing));
        m_lab = std::make_unique<lab::NetnsLab>(lab::NetnsLab::Options{kHosts, "1200m", {}});
        const QString trouble = m_lab->start();
        QVERIFY2(trouble.isEmpty(), qPrintable(trouble));

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
        support::savePictures(m_desk->window(), "sent-data-story-broken-off");
    }

    void addsTwoFreshHosts()
    {
        m_hand->goTo(kHostsPage);
        const HostListModel& hosts = m_desk->session().hosts();
        for (int i = 0; i < kHosts; ++i) {
            MUST(m_hand->press("Add host…"));
            MUST(m_hand->write("Host", host(i)));
            MUST(m_hand->press("Add and check"));
            MUST(m_hand->press("Accept")); // its key, which nobody has seen before
            AWAIT(hosts.at(hosts.rowOf(host(i))).report.has_value());
        }
    }

    void preparesADataSetHere()
    {
        m_hand->goTo(kDataPage);
        MUST(m_hand->press("Prepare…"));
        MUST(m_hand->write("Files", kDump));
        MUST(m_hand->write("Output folder", path("wiki")));
        MUST(m_hand->choose("Vocabulary", "Train on the files"));
        MUST(m_hand->write("Vocabulary size", "1000"));
        MUST(m_hand->press("Prepare"));
        AWAIT_EQUAL(m_desk->session().dataSets().rowCount(), 1);
        MUST(m_hand->press("Use in a run"));
        QCOMPARE(title(), "Design");
    }

    void designsARunOnTheHosts()
    {
        MUST(m_hand->choose("Preset", "bert-tiny"));
        MUST(m_hand->write("Name", "sent"));
        MUST(m_hand->write("Steps", "20"));
        MUST(m_hand->write("Host 1", host(0)));
        MUST(m_hand->press("Add a host"));
        MUST(m_hand->write("Host 2", host(1)));
        MUST(m_hand->write("Data parallel", "2"));
        MUST(m_hand->write("Micro-batch", "2"));
        AWAIT(m_desk->session().document().isValid());
        const RunSpec& spec = m_desk->session().document().spec();
        QCOMPARE(spec.dataset.path, path("wiki").toStdString());
        for (int i = 0; i < kHosts; ++i)
            QCOMPARE(spec.cluster.nodes.at(static_cast<std::size_t>(i)).host, host(i).toStdString());
    }

    void isAskedBeforeTheDataSetIsSent()
    {
        MUST(m_hand->press("Launch"));
        AWAIT(m_hand->canPress("Send"));
        QVERIFY(m_hand->sees(host(0) + ", " + host(1) + " lack the data set wiki."));
        QVERIFY(m_hand->sees("Send ")); // how much, and where it is kept
        support::savePictures(m_desk->window(), "sent-data-offer");
        for (int i = 0; i < kHosts; ++i)
            QCOMPARE(sentTo(i), QStringList());
        MUST(m_hand->press("Cancel"));
        AWAIT(m_hand->canPress("Launch"));
        for (int i = 0; i < kHosts; ++i)
            QCOMPARE(sentTo(i), QStringList());
    }

    void trainsOnBothOnceItIsSent()
    {
        MUST(m_hand->press("Launch"));
        AWAIT(m_hand->canPress("Send"));
        QWidget* focus = m_desk->window().focusWidget();
        QCOMPARE(focus ? focus->accessibleName() : QString(), "Send");
        QTest::keyClick(focus, Qt::Key_Space); // the answer needs no mouse
        AWAIT(title() == "Runs");
        AWAIT(run());
        AWAIT_EQUAL(run()->series().status().state, RunState::Finished);
        AWAIT_EQUAL(run()->series().steps().size(), 20);
        QCOMPARE(run()->series().ranks().size(), 2);
        for (int i = 0; i < kHosts; ++i)
            QCOMPARE(sentTo(i).size(), 1);
        QCOMPARE(sentTo(0), sentTo(1));
    }

    void removesItFromAHost()
    {
        m_hand->goTo(kDataPage);
        MUST(m_hand->press("On hosts…"));
        MUST(m_hand->pickRow("Data sets on hosts", host(1)));
        support::savePictures(m_desk->window(), "sent-data-on-hosts");
        MUST(m_hand->press("Remove…"));
        const QString name = sentTo(1).value(0);
        QVERIFY(m_hand->sees("Remove " + name + " from " + host(1) + "?"));
        support::savePictures(m_desk->window(), "sent-data-removal");
        MUST(m_hand->press("Remove"));
        AWAIT(m_hand->sees(name + " was removed from " + host(1) + "."));
        QCOMPARE(sentTo(1), QStringList());
        QCOMPARE(sentTo(0).size(), 1);
    }

    void isOfferedTheOneThatIsMissing()
    {
        m_hand->goTo(kDesignPage);
        MUST(m_hand->press("Launch"));
        AWAIT(m_hand->canPress("Send"));
        QVERIFY(m_hand->sees(host(1) + " lacks the data set wiki."));
        MUST(m_hand->press("Cancel"));
        AWAIT(m_hand->canPress("Launch"));
    }

private:
    QString path(const QString& name) const { return m_folder.filePath(name); }
    QString host(int index) const { return m_lab->host(index).address(); }
    /// Folders of data sets that this host's agent has.
    QStringList sentTo(int index) const
    {
        return QDir(m_lab->host(index).path("/root/.trainyard/data"))
            .entryList(QDir::Dirs | QDir::NoDotAndDotDot);
    }
    QString title() const { return m_desk->window().currentPage()->title(); }
    OpenRun* run() const { return m_desk->window().findChild<RunView*>()->run(); }

    // The bundle has half a GiB: not on a slow disk.
    QTemporaryDir m_folder{"/dev/shm/trainyard-sent-XXXXXX"};
    std::unique_ptr<lab::NetnsLab> m_lab;
    std::unique_ptr<DeskWindow> m_desk;
    std::unique_ptr<Hand> m_hand;
    bool m_brokenOff = false;
};

QTEST_MAIN(TestSentDataStory)
#include "tst_sent_data_story.moc"
