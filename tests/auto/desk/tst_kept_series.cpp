#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include "app/runs/kept_series.h"
#include "app/runs/open_run.h"
#include "app/runs/run_folder.h"
#include "app/series/series_file.h"
#include "tests/support/patience.h"
#include "tests/support/sample_run/sample_run.h"

using namespace trainyard;
namespace fs = std::filesystem;

namespace {

constexpr int kSteps = 5000;

Payload stepOf(std::int64_t step, double shift = 0)
{
    support::SampleRun shape;
    shape.worldSize = 2;
    StepRecord record = support::sampleStep(shape, step);
    record.loss += shift;
    record.skipped = step % 1000 == 0;
    return record;
}

} // namespace

class TestKeptSeries : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        write(1, 1, kSteps);
    }

    void aKeptRunIsTheRunThatWasRead()
    {
        const RunSeries read = readRunSeries(folder()).value();
        QVERIFY(keepSeries(folder()).ok());
        const auto kept = readKeptSeries(folder());
        QVERIFY2(kept.ok(), kept.ok() ? "" : kept.error().text().c_str());
        QCOMPARE(kept->stream.steps.size(), kSteps);
        compare(readRunSeries(folder()).value(), read);
    }

    void goesOnWhereTheFileEnds()
    {
        QVERIFY(keepSeries(folder()).ok());
        write(1, kSteps + 1, kSteps + 5000);
        compare(readRunSeries(folder()).value(), fromJournal());
        QCOMPARE(readKeptSeries(folder())->stream.steps.size(), kSteps);
        QVERIFY(keepSeries(folder()).ok());
        QCOMPARE(readKeptSeries(folder())->stream.steps.size(), kSteps + 5000);
        compare(readRunSeries(folder()).value(), fromJournal());
    }

    void aLaterAttemptReplacesKeptSteps()
    {
        QVERIFY(keepSeries(folder()).ok());
        write(2, kSteps - 3000, kSteps + 100, 1.5);
        compare(readRunSeries(folder()).value(), fromJournal());
        QVERIFY(keepSeries(folder()).ok());
        compare(readRunSeries(folder()).value(), fromJournal());
        QCOMPARE(readKeptSeries(folder())->stream.steps.size(), kSteps + 100);
    }

    void anotherJournalIsReadFromItsStart()
    {
        QVERIFY(keepSeries(folder()).ok());
        QVERIFY(fs::remove(journal()));
        write(1, 1, kSteps, 0.25);
        QVERIFY(!readKeptSeries(folder()).ok());
        compare(readRunSeries(folder()).value(), fromJournal());
        QVERIFY(keepSeries(folder()).ok());
        QVERIFY(readKeptSeries(folder()).ok());
    }

    void aDamagedFileIsMadeAgain()
    {
        QVERIFY(keepSeries(folder()).ok());
        const auto bytes = qint64(fs::file_size(file()));
        for (const qint64 at : {qint64(3), bytes / 2, bytes - 3}) {
            flip(at);
            QVERIFY(!SeriesFile::verify(file()).ok() || !readKeptSeries(folder()).ok() ||
                    readKeptSeries(folder())->stream.steps.isEmpty());
            QVERIFY(keepSeries(folder()).ok());
            QVERIFY(SeriesFile::verify(file()).ok());
            QCOMPARE(readKeptSeries(folder())->stream.steps.size(), kSteps);
            compare(readRunSeries(folder()).value(), fromJournal());
        }
    }

    void namesTheFileWhoseNoteIsDamaged_data()
    {
        QTest::addColumn<QByteArray>("note");
        QTest::addRow("no CBOR") << QByteArray("no note");
        QTest::addRow("empty map") << QByteArray("\xa0");
        QTest::addRow("value of another kind") << QByteArray("\xa1\x6djournal_bytes\x61x");
    }
    void namesTheFileWhoseNoteIsDamaged()
    {
        QFETCH(QByteArray, note);
        QVERIFY(keepSeries(folder()).ok());
        QVERIFY(SeriesWriter::open(file()).value().commit(note.toStdString()).ok());
        const auto kept = readKeptSeries(folder());
        QVERIFY(!kept.ok());
        QCOMPARE(kept.error().text(), file().string() + ": its note on the journal is damaged");
    }

    void anOpenRunMendsItsFileAndShowsWhatTheJournalSays()
    {
        QVERIFY(keepSeries(folder()).ok());
        const RunSeries expected = fromJournal();
        flip(qint64(fs::file_size(file())) / 2); // which does not show at opening
        OpenRun run(RecordedRun{readRunFacts(folder()).value(), readRunSeries(folder()).value()});
        AWAIT(!run.problem().isEmpty());
        QVERIFY2(run.problem().contains("made anew"), qPrintable(run.problem()));
        QVERIFY(SeriesFile::verify(file()).ok());
        compare(run.series(), expected);
        write(1, kSteps + 1, kSteps + 1);
        run.apply("steps", {{1, kSteps + 1, {0, 0}, stepOf(kSteps + 1)}}); // it goes on
        QCOMPARE(run.series().steps().size(), kSteps + 1);
    }

    void anIntactFileIsLeftAsItIs()
    {
        QVERIFY(!mendSeries(folder()).value()); // there is none
        QVERIFY(keepSeries(folder()).ok());
        QVERIFY(!mendSeries(folder()).value());
    }

    void shortRunsNeedNoFile()
    {
        QVERIFY(fs::remove(journal()));
        write(1, 1, 100);
        QVERIFY(keepSeries(folder()).ok());
        QVERIFY(!fs::exists(file()));
    }

private:
    QString folder() const { return m_folder->path(); }
    fs::path file() const { return fs::path(folder().toStdString()) / kSeriesFileName; }
    fs::path journal() const { return fs::path(folder().toStdString()) / "journal" / "steps"; }

    void write(std::uint32_t attempt, int first, int last, double shift = 0)
    {
        fs::create_directories(journal().parent_path());
        auto writer = JournalWriter::open(journal().parent_path(), "steps", attempt).value();
        for (int step = first; step <= last; ++step)
            QVERIFY(writer.append(stepOf(step, shift)).ok());
    }

    RunSeries fromJournal() const
    {
        RunSeries series;
        const auto end = scanJournal(
            journal(), [&](const std::vector<Record>& records) { series.apply("steps", records); });
        return end.ok() ? series : RunSeries();
    }

    void flip(qint64 at) const
    {
        QFile bytes(QString::fromStdString(file().string()));
        QVERIFY(bytes.open(QFile::ReadWrite) && bytes.seek(at));
        const char old = bytes.read(1).front();
        QVERIFY(bytes.seek(at) && bytes.write(QByteArray(1, char(old ^ 0x10))) == 1);
    }

    static void compare(const RunSeries& actual, const RunSeries& expected)
    {
        for (int column = 0; column < kStepColumns; ++column)
            QCOMPARE(actual.steps().column(StepColumn(column)), expected.steps().column(StepColumn(column)));
        for (std::size_t cause = 0; cause < kCommonCauses; ++cause)
            QCOMPARE(actual.steps().cause(CommonCause(cause)), expected.steps().cause(CommonCause(cause)));
        QCOMPARE(actual.steps().skipped(StepColumn::Step), expected.steps().skipped(StepColumn::Step));
        QVERIFY(actual.steps().attempts() == expected.steps().attempts());
        QVERIFY(actual.ranks() == expected.ranks());
        QVERIFY(actual.newestCompute() == expected.newestCompute());
        QCOMPARE(actual.recordCount(), expected.recordCount());
        QCOMPARE(actual.newestNs(), expected.newestNs());
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_GUILESS_MAIN(TestKeptSeries)
#include "tst_kept_series.moc"
