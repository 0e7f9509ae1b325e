#include <algorithm>
#include <optional>

#include <QDir>
#include <QFile>
#include <QListView>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>
#include <QTextEdit>

#include "app/data/data_page.h"
#include "app/data/data_set_panel.h"
#include "app/data/sample_browser.h"
#include "app/hosts/hosts_page.h"
#include "app/report/reports_page.h"
#include "app/shell/desk_window.h"
#include "app/workspace/message_bar.h"
#include "app/workspace/page_frame.h"
#include "tests/support/bundle/small_bundle.h"
#include "tests/support/lab/netns_lab.h"
#include "tests/support/patience.h"

using namespace trainyard;

namespace {

/// Makes a data set of nothing but its manifest; verifies one by saying that it is sound, or hangs at a set
/// that is called "slow".
constexpr auto kPrepareScript = R"(#!/bin/sh
if [ "$1" = verify ]; then
    folder=$2
    while [ "$1" != --run-dir ]; do shift; done
    case $folder in *slow) exec sleep 4711;; *gone) echo "error: no such folder" >&2; exit 2;; esac
    cat > "$2/report" <<END
{"ok": true, "violations": [], "samples": [{"shard": "a.hdf5", "row": 3, "random_next": true,
 "tokens": [{"text": "[CLS]", "segment": 0}, {"text": "wagon", "segment": 1}]}]}
END
    exit
fi
while [ "$1" != --out ]; do shift; done
mkdir "$2"
cat > "$2/manifest.json" <<END
{"version": 1, "sequence_length": 512, "max_predictions": 80, "vocabulary_size": 30522, "vocabulary_sha256": "0",
 "settings": {"dupe_factor": 5}, "statistics": {"documents": 105, "tokens": 527681},
 "shards": [{"file": "a.hdf5", "sha256": "ab", "rows": 900, "training": true},
            {"file": "b.hdf5", "sha256": "cd", "rows": 100, "training": false}]}
END
)";

} // namespace

/// The window with a host behind a real sshd.
class TestRemoteHost : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        if (const QString why = lab::NetnsLab::whyNot(); !why.isEmpty())
            QSKIP(qPrintable(why));
        m_lab = std::make_unique<lab::NetnsLab>(lab::NetnsLab::Options{1, "256m", {}});
        const QString trouble = m_lab->start();
        QVERIFY2(trouble.isEmpty(), qPrintable(trouble));
        m_lab->trustHosts();
        qputenv("TRAINYARD_DATA", m_folder.filePath("desk").toUtf8());
        qputenv("TRAINYARD_BUNDLE", m_folder.filePath("bundle").toUtf8());
        support::writeBundle(m_folder.filePath("bundle").toStdString(),
                             {{"bin/trainyard-prepare", kPrepareScript, true}});
        m_desk = std::make_unique<DeskWindow>(*qApp, m_folder.filePath("desk").toStdString(),
                                              m_lab->targetOptions());
        m_desk->window().show();
        m_host = m_lab->host(0).address();
        HostEntry entry;
        entry.name = m_host;
        QVERIFY(m_desk->session().hosts().add(entry).ok());
    }

    void cleanupTestCase()
    {
        m_desk.reset();
        m_lab.reset();
    }

    void aCheckTellsThatTheEngineIsNotThereYet()
    {
        m_desk->session().hostChecks().check(m_host);
        AWAIT_EQUAL(hostEntry().engine, "not uploaded yet");
        QVERIFY(hostEntry().report);
    }

    void aDataSetMadeThereShowsItsCounts()
    {
        PrepareRequest options;
        options.host = m_host;
        options.dumps = {"/root/dump.xml"};
        options.trainVocabulary = 30522;
        options.out = "/root/set";
        m_desk->session().prepareJob().start(options);
        QTRY_VERIFY2_WITH_TIMEOUT(dataSets().rowCount() == 1, qPrintable(messageBar().text()), kPatienceMs);
        const DataSetEntry& entry = dataSets().at(0);
        QCOMPARE(entry.host, m_host);
        QCOMPARE(entry.name, "set");
        QCOMPARE(entry.tokens, 527'681u);
        QCOMPARE(entry.rows, 1000u);
        QCOMPARE(entry.testRows, 100u);
        QCOMPARE(entry.sequenceLength, 512);
    }

    void theEngineIsThereAfterwards() { AWAIT_EQUAL(hostEntry().engine, TRAINYARD_VERSION); }

    void aFinishedDataSetIsTakenIntoTheList()
    {
        QCOMPARE(dataSets().rowCount(), 1);
        dataSets().remove(0);
        page().addFolder(m_host, "/root/set");
        AWAIT_EQUAL(dataSets().rowCount(), 1);
        QCOMPARE(dataSets().at(0).tokens, 527'681u);
    }

    void isVerifiedWhereItLies()
    {
        QCOMPARE(dataSets().at(0).check, DataSetEntry::Check::NotVerified);
        page().refresh();
        AWAIT_EQUAL(dataSets().at(0).check, DataSetEntry::Check::Verified);
        AWAIT(shownRow().contains("wagon"));
        AWAIT_EQUAL(m_lab->host(0).run({"ls", "/root/.trainyard/runs"}).output.count("verify"), 0);
        AWAIT_EQUAL(QDir(m_folder.filePath("desk/runs")).entryList({"*verify*"}).size(), 0);
    }

    void itsReportHasItsRowsWhenTheyAreAskedFor()
    {
        auto& reports = *m_desk->window().findChild<ReportsPage*>();
        reports.setPattern(ReportTemplate::DataSet);
        const auto check = [&]() -> QPushButton* {
            for (QPushButton* button : reports.findChild<MessageBar*>()->findChildren<QPushButton*>()) {
                if (button->text() == "Check the rows")
                    return button;
            }
            return nullptr;
        };
        AWAIT(check());
        const QString file = m_folder.filePath("report.html");
        const auto report = [&] {
            reports.exportTo(file);
            QFile written(file);
            return written.open(QIODevice::ReadOnly) ? written.readAll() : QByteArray();
        };
        check()->click();
        AWAIT(report().contains("wagon"));
    }

    void aCheckThatIsCancelledLeavesNothingThere()
    {
        DataSetEntry slow = dataSets().at(0);
        slow.folder = "/root/slow";
        dataSets().put(slow);
        page().findChild<QListView*>()->setCurrentIndex(dataSets().index(0));
        page().refresh();
        const auto sleeping = [this] { return m_lab->host(0).run({"pgrep", "-fx", "sleep 4711"}).output; };
        AWAIT(!sleeping().isEmpty());
        emit page().findChild<DataSetPanel*>()->cancelRequested();
        QCOMPARE(dataSets().at(0).check, DataSetEntry::Check::NotVerified);
        AWAIT(sleeping().isEmpty());
        QTRY_COMPARE_WITH_TIMEOUT(m_lab->host(0).run({"ls", "/root/.trainyard/runs"}).output.count("verify"),
                                  0, kPatienceMs);
        dataSets().remove(0);
    }

    void aCheckThatFailsSaysWhy()
    {
        DataSetEntry gone = dataSets().at(0);
        gone.folder = "/root/gone";
        dataSets().put(gone);
        page().findChild<QListView*>()->setCurrentIndex(dataSets().index(0));
        page().refresh();
        AWAIT_EQUAL(dataSets().at(0).check, DataSetEntry::Check::Damaged);
        QVERIFY2(dataSets().at(0).problem.contains("no such folder"), qPrintable(dataSets().at(0).problem));
        dataSets().remove(0);
    }

    void itsFoldersCanBeLookedAt()
    {
        std::optional<Result<HostFolder>> listed;
        m_desk->session().runs().listFolder(m_host, "/root", this,
                                            [&](const Result<HostFolder>& answer) { listed = answer; });
        AWAIT(listed);
        QVERIFY(listed->ok());
        QCOMPARE((*listed)->home, "/root");
        QVERIFY(std::ranges::any_of((*listed)->entries, [](const HostFolder::Entry& entry) {
            return entry.name == "set" && entry.folder;
        }));
    }

    void whatIsNoDataSetIsSaidInThePlace()
    {
        page().addFolder(m_host, "/root/nothing");
        AWAIT(messageBar().text().contains("/root/nothing/manifest.json"));
        QCOMPARE(dataSets().rowCount(), 1);
    }

private:
    DataSetListModel& dataSets() { return m_desk->session().dataSets(); }
    DataPage& page() { return *m_desk->window().findChild<DataPage*>(); }
    MessageBar& messageBar() { return *page().findChild<PageFrame*>()->messageBar(); }
    QString shownRow() { return page().findChild<SampleBrowser*>()->findChild<QTextEdit*>()->toPlainText(); }
    HostEntry hostEntry() const
    {
        return m_desk->session().hosts().at(m_desk->session().hosts().rowOf(m_host));
    }

    QTemporaryDir m_folder;
    std::unique_ptr<lab::NetnsLab> m_lab;
    std::unique_ptr<DeskWindow> m_desk;
    QString m_host;
};

QTEST_MAIN(TestRemoteHost)
#include "tst_remote_host.moc"
