#include <QFile>
#include <QLabel>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>

#include "app/models/hardware_library.h"
#include "app/models/run_desk.h"
#include "app/report/page_preview.h"
#include "app/report/reports_place.h"
#include "app/widgets/message_strip.h"
#include "tests/gui/picture.h"
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
        m_library = RunLibrary::open(m_folder->filePath("history.db")).value();
    }

    void cleanup()
    {
        m_place.reset();
        m_desk.reset();
        m_library.reset();
    }

    void showsThePagesOfTheNewestRunAtOnce()
    {
        open({sample(2)});
        QTRY_VERIFY(preview()->pageCount() > 0);
        support::savePictures(*m_place, "reports");
    }

    void showsOneReportOfSeveralRuns()
    {
        open({sample(1), sample(2), sample(4)});
        QTRY_VERIFY(preview()->pageCount() > 0);
        const int pages = preview()->pageCount();
        m_place->setChosen(ids());
        QTRY_VERIFY(preview()->pageCount() > pages);
        m_place->resize(2560, 1440);
        support::savePictures(*m_place, "reports-several-2560");
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
        QTRY_VERIFY(preview()->pageCount() > 0);
        const QString file = m_folder->filePath("report." + ending);
        m_place->exportTo(file);
        QVERIFY(QFile(file).size() > 1000);
        QVERIFY(m_place->findChild<MessageStrip*>()->text().startsWith("Saved"));
    }

    void saysWhereItCouldNotWrite()
    {
        open({sample(2)});
        QTRY_VERIFY(preview()->pageCount() > 0);
        m_place->exportTo(m_folder->filePath("no/such/folder/report.pdf"));
        QVERIFY(m_place->findChild<MessageStrip*>()->text().contains("report.pdf"));
        support::savePictures(*m_place, "reports-failed");
    }

    void withoutAChoiceThereIsNothingToExport()
    {
        open({sample(2)});
        QTRY_VERIFY(preview()->pageCount() > 0);
        m_place->setChosen({});
        QTRY_COMPARE(preview()->pageCount(), 0);
        for (QPushButton* button : m_place->findChildren<QPushButton*>())
            QVERIFY(!button->text().startsWith("Save") || !button->isEnabled());
    }

    void saysWhatItIsForWhileThereAreNoRuns()
    {
        open({});
        support::savePictures(*m_place, "reports-empty");
        QVERIFY(!preview()->isVisible());
    }

private:
    void open(const QList<support::SampleRun>& runs)
    {
        for (const support::SampleRun& run : runs)
            QVERIFY(!support::writeSampleRun(m_folder->filePath("runs"), run).isEmpty());
        m_desk = std::make_unique<RunDesk>(*m_library, m_folder->filePath("runs"), nullptr);
        m_place = std::make_unique<ReportsPlace>(*m_desk, m_hardware);
        m_place->resize(1200, 770);
        m_place->show();
        m_place->activate();
    }
    QStringList ids() const
    {
        QStringList ids;
        for (const RunEntry& entry : m_library->runs())
            ids.append(entry.id);
        return ids;
    }
    PagePreview* preview() const { return m_place->findChild<PagePreview*>(); }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<RunLibrary> m_library;
    std::unique_ptr<RunDesk> m_desk;
    const HardwareLibrary m_hardware{"/no/hardware/of/ones/own"};
    std::unique_ptr<ReportsPlace> m_place;
};

QTEST_MAIN(TestReportsPlace)
#include "tst_reports_place.moc"
