#include <algorithm>

#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QLabel>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>

#include "app/data/model/data_set_list_model.h"
#include "app/hosts/model/host_entry.h"
#include "app/plan/hardware_library.h"
#include "app/report/page_preview.h"
#include "app/report/reports_page.h"
#include "app/runs/run_store.h"
#include "app/workspace/message_bar.h"
#include "remote/launch/run_service.h"
#include "remote/target/target_pool.h"
#include "tests/gui/picture.h"
#include "tests/support/patience.h"
#include "tests/support/sample_run/sample_run.h"

using namespace trainyard;

namespace {

support::SampleRun sample(int ranks)
{
    support::SampleRun run;
    run.name = QStringLiteral("bert-tiny-%1r").arg(ranks);
    run.worldSize = ranks;
    run.seed = unsigned(ranks);
    return run;
}

} // namespace

class TestReportsPlace : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { support::applyScheme(ColourScheme::Light); }

    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        QDir(m_folder->path()).mkdir("runs");
        m_history = RunDatabase::open(m_folder->filePath("history.db")).value();
    }

    void cleanup()
    {
        m_page.reset();
        m_store.reset();
        m_history.reset();
    }

    void showsThePagesOfTheNewestRunAtOnce()
    {
        open({sample(2)});
        AWAIT(preview()->pageCount() > 0);
        support::savePictures(*m_page, "reports");
    }

    void saysThatTheReportIsOnItsWay()
    {
        open({sample(2)});
        const auto says = [this](const QString& text) {
            return std::ranges::any_of(m_page->findChildren<QLabel*>(), [&text](const QLabel* label) {
                return label->isVisible() && label->text() == text;
            });
        };
        QCOMPARE(preview()->pageCount(), 0);
        QVERIFY(says("Building the report"));
        QVERIFY(!says("Nothing chosen."));
        AWAIT(preview()->pageCount() > 0);
        QVERIFY(!says("Building the report"));
    }

    void showsOneReportOfSeveralRuns()
    {
        open({sample(1), sample(2), sample(4)});
        AWAIT(preview()->pageCount() > 0);
        m_page->setChosen(ids());
        AWAIT(exported("csv").contains("Scaling study"));
        m_page->resize(2560, 1440);
        support::savePictures(*m_page, "reports-several-2560");
    }

    void writesWhatItShows_data()
    {
        QTest::addColumn<QString>("ending");
        for (const char* ending : {"pdf", "html", "csv", "json"})
            QTest::newRow(ending) << QString(ending);
    }

    void writesWhatItShows()
    {
        QFETCH(QString, ending);
        open({sample(2)});
        AWAIT(preview()->pageCount() > 0);
        const QString file = m_folder->filePath("report." + ending);
        m_page->exportTo(file);
        QVERIFY(QFile(file).size() > 1000);
        QVERIFY(m_page->findChild<MessageBar*>()->text().startsWith("Saved"));
    }

    void saysWhereItCouldNotWrite()
    {
        open({sample(2)});
        AWAIT(preview()->pageCount() > 0);
        m_page->exportTo(m_folder->filePath("no/such/folder/report.pdf"));
        QVERIFY(m_page->findChild<MessageBar*>()->text().contains("report.pdf"));
        support::savePictures(*m_page, "reports-failed");
    }

    void writesAllFormatsByOneClick()
    {
        open({sample(2)});
        AWAIT(preview()->pageCount() > 0);
        m_page->exportAll(m_folder->filePath("all"));
        for (const char* ending : {"pdf", "html", "csv", "json"})
            QVERIFY2(QFile(m_folder->filePath(QStringLiteral("all.") + ending)).size() > 1000, ending);
    }

    void saysWhyATemplateDoesNotGoWithTheRuns()
    {
        open({sample(1), sample(2)});
        m_page->setChosen(ids());
        chooseTemplate("Scaling study");
        AWAIT(preview()->pageCount() > 0);
        chooseTemplate("Single run");
        AWAIT_EQUAL(preview()->pageCount(), 0);
        QVERIFY(m_page->findChild<MessageBar*>()->text().contains("for one run"));
        chooseTemplate("Automatic");
        AWAIT(preview()->pageCount() > 0);
    }

    void reportsOnADataSetOfThisMachine()
    {
        const QString folder = m_folder->filePath("wiki-128");
        QVERIFY(writeManifest(folder));
        DataSetEntry entry;
        entry.name = "wiki-128";
        entry.host = thisMachine();
        entry.folder = folder;
        m_dataSets.put(entry);
        open({sample(2)});
        chooseTemplate("Data set");
        AWAIT(preview()->pageCount() > 0); // the verifier may be missing; then the report says so
        QVERIFY(exported("csv").contains("wikicorpus_training_0.hdf5"));
        support::savePictures(*m_page, "reports-data-set");
    }

    void withoutAChoiceThereIsNothingToExport()
    {
        open({sample(2)});
        AWAIT(preview()->pageCount() > 0);
        m_page->setChosen({});
        AWAIT_EQUAL(preview()->pageCount(), 0);
        for (QPushButton* button : m_page->findChildren<QPushButton*>())
            QVERIFY(!button->text().startsWith("Save") || !button->isEnabled());
    }

    void saysWhatItIsForWhileThereAreNoRuns()
    {
        open({});
        support::savePictures(*m_page, "reports-empty");
        QVERIFY(!preview()->isVisible());
    }

private:
    void open(const QList<support::SampleRun>& runs)
    {
        for (const support::SampleRun& run : runs)
            QVERIFY(!support::writeSampleRun(m_folder->filePath("runs"), run).isEmpty());
        m_store = std::make_unique<RunStore>(*m_history, m_folder->filePath("runs"), nullptr);
        m_page = std::make_unique<ReportsPage>(ReportsPage::Parts{*m_store, m_hardware, m_dataSets, m_runs});
        m_page->resize(1200, 770);
        m_page->show();
        m_page->activate();
    }
    QStringList ids() const
    {
        QStringList ids;
        for (const RunEntry& entry : m_history->runs())
            ids.append(entry.id);
        return ids;
    }
    /// By the keys, as a person without a mouse does.
    void chooseTemplate(const QString& name)
    {
        auto* box = m_page->findChild<QComboBox*>();
        box->setFocus();
        QTest::keyClick(box, Qt::Key_Home);
        for (int i = 0; i < box->count() && box->currentText() != name; ++i)
            QTest::keyClick(box, Qt::Key_Down);
        QCOMPARE(box->currentText(), name);
    }
    static bool writeManifest(const QString& folder)
    {
        QDir().mkpath(folder);
        QFile file(folder + "/manifest.json");
        return file.open(QIODevice::WriteOnly) &&
               file.write(
                   R"({"version": 1, "sequence_length": 128, "max_predictions": 20, "vocabulary_size": 30522,
                   "vocabulary_sha256": "07eced37", "settings": {"dupe_factor": 5},
                   "statistics": {"documents": 105, "tokens": 527681, "length_histogram": [0, 1, 2, 7]},
                   "shards": [{"file": "wikicorpus_training_0.hdf5", "rows": 10, "sha256": "ab", "training": true}]})") >
                   0;
    }
    /// What the page writes of what it shows.
    QByteArray exported(const QString& ending)
    {
        QFile file(m_folder->filePath("exported." + ending));
        m_page->exportTo(file.fileName());
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    PagePreview* preview() const { return m_page->findChild<PagePreview*>(); }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<RunDatabase> m_history;
    std::unique_ptr<RunStore> m_store;
    const HardwareLibrary m_hardware{"/no/hardware/of/ones/own"};
    TargetPool m_targets;
    RunService m_runs{m_targets};
    DataSetListModel m_dataSets;
    std::unique_ptr<ReportsPage> m_page;
};

QTEST_MAIN(TestReportsPlace)
#include "tst_reports_place.moc"
