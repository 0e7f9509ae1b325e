#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>

#include "app/runs/open_run.h"
#include "app/runs/recorded_run.h"
#include "app/runs/series_cache.h"
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

/// After every hundredth step.
std::optional<Payload> evaluationAfter(std::int64_t step, double shift)
{
    if (step % 100 != 0)
        return std::nullopt;
    EvaluationRecord record{.step = step, .loss = 7 + shift + 1.0 / double(step), .tokenLoss = 6.5};
    record.sequenceAccuracy = 0.5; // NaN would not equal itself
    record.bitsPerByte = 1.25;
    record.tokens = 320;
    record.task = {TaskKind::Classify, 0.5, 0.25, 0.125, 0.75, 50.0};
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

    void aCachedRunIsTheRunThatWasRead()
    {
        const RunSeries read = readRunSeries(folder()).value();
        QVERIFY(rebuildSeriesCache(folder()).ok());
        const auto cached = readSeriesCache(folder());
        QVERIFY2(cached.ok(), cached.ok() ? "" : cached.error().text().c_str());
        QCOMPARE(cached->steps.size(), kSteps);
        QCOMPARE(cached->evaluations.size(), kSteps / 100);
        compare(readRunSeries(folder()).value(), read);
    }

    void devicesOfTheRanksAreCached()
    {
        RunSeries series = readRunSeries(folder()).value();
        DevicesRecord devices{{}, {{"GPU-a", "NVIDIA H100", 80 * kGiB}}};
        auto writer = JournalWriter::open(journal().parent_path(), "steps", 1).value();
        QVERIFY(writer.append(devices).ok());
        QVERIFY(rebuildSeriesCache(folder()).ok());
        QVERIFY(readSeriesCache(folder())->rankDevices == devices);
        QVERIFY(readRunSeries(folder())->rankDevices() == devices);
        devices.ranks[0].device = "GPU-b"; // of the next attempt
        QVERIFY(writer.append(devices).ok());
        QVERIFY(readRunSeries(folder())->rankDevices() == devices);
    }

    void theNewestLoadOfExpertsIsCached()
    {
        ExpertLoad load{10, 2, {1}, {30, 2}};
        auto writer = JournalWriter::open(journal().parent_path(), "steps", 1).value();
        QVERIFY(writer.append(load).ok());
        load.step = 20;
        QVERIFY(writer.append(load).ok());
        QVERIFY(rebuildSeriesCache(folder()).ok());
        QVERIFY(readSeriesCache(folder())->expertLoad == load);
        QVERIFY(readRunSeries(folder())->expertLoad() == load);
    }

    /// As an older version leaves a file when it adds steps: without a word of evaluations in the note.
    void aFileThatLacksEvaluationsIsNotRead()
    {
        QVERIFY(rebuildSeriesCache(folder()).ok());
        nlohmann::json note = nlohmann::json::from_cbor(SeriesFile::open(file())->note());
        QCOMPARE(note.at("evaluations").get<int>(), kSteps / 100);
        for (const bool told : {true, false}) {
            if (told)
                note["evaluations"] = kSteps / 100 + 1;
            else
                note.erase("evaluations");
            std::string bytes;
            nlohmann::json::to_cbor(note, bytes);
            QVERIFY(SeriesWriter::open(file()).value().commit(bytes).ok());
            const auto cached = readSeriesCache(folder());
            QVERIFY(!cached.ok());
            if (told)
                QCOMPARE(cached.error().message, file().string() + ": has 50 of 51 evaluations");
            compare(readRunSeries(folder()).value(), fromJournal());
        }
        RunSeries series = readRunSeries(folder()).value();
        QCOMPARE(series.restoredSteps(), 0);
        QVERIFY(SeriesCache(folder(), 0).update(series.stepStream()).ok());
        QCOMPARE(readSeriesCache(folder())->evaluations.size(), kSteps / 100);
    }

    void growsFromMemory()
    {
        QVERIFY(rebuildSeriesCache(folder()).ok());
        RunSeries series = readRunSeries(folder()).value();
        SeriesCache cache(folder(), series.restoredSteps());
        for (int last = kSteps; last < kSteps + 15'000; last += 5000) {
            grow(series, 1, last + 1, last + 5000);
            QCOMPARE(readSeriesCache(folder())->steps.size(), last);
            QVERIFY(cache.update(series.stepStream()).ok());
            QCOMPARE(readSeriesCache(folder())->steps.size(), last + 5000);
            QVERIFY(SeriesFile::verify(file()).ok());
            compare(readRunSeries(folder()).value(), fromJournal());
        }
    }

    /// Work that grew with the length of the run would make a run of millions of steps slow to follow.
    void anUpdateReadsNothingThatIsCached()
    {
        RunSeries series = readRunSeries(folder()).value();
        SeriesCache cache(folder(), 0);
        QVERIFY(cache.update(series.stepStream()).ok());
        grow(series, 1, kSteps + 1, kSteps + 5000);
        QVERIFY(cache.update(series.stepStream()).ok()); // opens the file that the first one wrote
        grow(series, 1, kSteps + 5001, kSteps + 10'000);
        const StepStream stream = series.stepStream();
        const qint64 before = bytesRead();
        QVERIFY(cache.update(stream).ok());
        const qint64 read = bytesRead() - before;
        QVERIFY2(read < 16 * 1024, qPrintable(QString::number(read))); // the end of the journal, /proc itself
        QCOMPARE(readSeriesCache(folder())->steps.size(), kSteps + 10'000);
    }

    void aLaterAttemptReplacesCachedSteps()
    {
        QVERIFY(rebuildSeriesCache(folder()).ok());
        RunSeries series = readRunSeries(folder()).value();
        SeriesCache cache(folder(), series.restoredSteps());
        grow(series, 2, kSteps - 3000, kSteps + 100, 1.5);
        compare(readRunSeries(folder()).value(), fromJournal());
        QVERIFY(cache.update(series.stepStream()).ok());
        compare(readRunSeries(folder()).value(), fromJournal());
        QCOMPARE(readSeriesCache(folder())->steps.size(), kSteps + 100);
    }

    void anotherJournalIsReadFromItsStart()
    {
        QVERIFY(rebuildSeriesCache(folder()).ok());
        QVERIFY(fs::remove(journal()));
        write(1, 1, kSteps, 0.25);
        QVERIFY(!readSeriesCache(folder()).ok());
        compare(readRunSeries(folder()).value(), fromJournal());
        QVERIFY(rebuildSeriesCache(folder()).ok());
        QVERIFY(readSeriesCache(folder()).ok());
    }

    void aDamagedFileIsRebuilt()
    {
        QVERIFY(rebuildSeriesCache(folder()).ok());
        const auto bytes = qint64(fs::file_size(file()));
        for (const qint64 at : {qint64(3), bytes / 2, bytes - 3}) {
            flip(at);
            QVERIFY(!SeriesFile::verify(file()).ok() || !readSeriesCache(folder()).ok() ||
                    readSeriesCache(folder())->steps.isEmpty());
            QVERIFY(rebuildSeriesCache(folder()).ok());
            QVERIFY(SeriesFile::verify(file()).ok());
            QCOMPARE(readSeriesCache(folder())->steps.size(), kSteps);
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
        QVERIFY(rebuildSeriesCache(folder()).ok());
        QVERIFY(SeriesWriter::open(file()).value().commit(note.toStdString()).ok());
        const auto cached = readSeriesCache(folder());
        QVERIFY(!cached.ok());
        QCOMPARE(cached.error().text(), file().string() + ": its note on the journal is damaged");
    }

    void whatAnotherProgramWroteMeanwhileIsReplaced()
    {
        RunSeries series = readRunSeries(folder()).value();
        SeriesCache cache(folder(), 0);
        QVERIFY(cache.update(series.stepStream()).ok());
        grow(series, 1, kSteps + 1, kSteps + 5000);
        QVERIFY(cache.update(series.stepStream()).ok());
        QVERIFY(rebuildSeriesCache(folder()).ok()); // the same content in another file
        grow(series, 1, kSteps + 5001, kSteps + 10'000);
        QVERIFY(cache.update(series.stepStream()).ok());
        QFile garbage(QString::fromStdString(file().string()));
        QVERIFY(garbage.open(QFile::WriteOnly) && garbage.write("garbage") == 7);
        garbage.close();
        grow(series, 1, kSteps + 10'001, kSteps + 15'000);
        QVERIFY(cache.update(series.stepStream()).ok());
        QVERIFY(SeriesFile::verify(file()).ok());
        compare(readRunSeries(folder()).value(), fromJournal());
        QCOMPARE(readSeriesCache(folder())->steps.size(), kSteps + 15'000);
    }

    void onlyOneProgramWritesAtATime()
    {
        QVERIFY(rebuildSeriesCache(folder()).ok());
        RunSeries series = readRunSeries(folder()).value();
        SeriesCache cache(folder(), series.restoredSteps());
        grow(series, 1, kSteps + 1, kSteps + 5000);
        QVERIFY(cache.update(series.stepStream()).ok());
        auto other = SeriesWriter::open(file()); // it is not locked between updates
        QVERIFY(other.ok());
        grow(series, 1, kSteps + 5001, kSteps + 10'000);
        const Status refusal = cache.update(series.stepStream());
        QVERIFY(!refusal.ok());
        QCOMPARE(refusal.error().kind, ErrorKind::Refused);
        QCOMPARE(readSeriesCache(folder())->steps.size(), kSteps + 5000);
    }

    /// Two windows follow the same run, and this one is behind.
    void anotherProgramsNewerFileKeepsNoRowsOfOurs()
    {
        RunSeries series = readRunSeries(folder()).value();
        SeriesCache cache(folder(), 0);
        QVERIFY(cache.update(series.stepStream()).ok());
        RunSeries further = readRunSeries(folder()).value();
        grow(further, 1, kSteps + 1, kSteps + 10'000);
        QVERIFY(SeriesCache(folder(), kSteps).update(further.stepStream()).ok());
        QCOMPARE(readSeriesCache(folder())->steps.size(), kSteps + 10'000);
        QVERIFY(cache.update(series.stepStream()).ok());
        QVERIFY(SeriesFile::verify(file()).ok());
        QCOMPARE(readSeriesCache(folder())->steps.size(), kSteps);
        compare(readRunSeries(folder()).value(), fromJournal());
    }

    void anOpenRunRepairsItsFileAndShowsWhatTheJournalSays()
    {
        QVERIFY(rebuildSeriesCache(folder()).ok());
        const RunSeries expected = fromJournal();
        flip(qint64(fs::file_size(file())) / 2); // which does not show at opening
        OpenRun run(RecordedRun{readRunFacts(folder()).value(), readRunSeries(folder()).value()});
        AWAIT(!run.problem().isEmpty());
        QVERIFY2(run.problem().contains("rebuilt"), qPrintable(run.problem()));
        QVERIFY(SeriesFile::verify(file()).ok());
        compare(run.series(), expected);
        std::vector<Record> next;
        write(1, kSteps + 1, kSteps + 1, 0, &next);
        run.apply("steps", next); // it continues
        QCOMPARE(run.series().steps().size(), kSteps + 1);
    }

    void anOpenRunKeepsItsCacheUpToDate()
    {
        OpenRun run(RecordedRun{readRunFacts(folder()).value(), readRunSeries(folder()).value()});
        AWAIT(readSeriesCache(folder()).ok());
        std::vector<Record> records;
        const JournalEnd end = write(1, kSteps + 1, kSteps + 5000, 0, &records);
        run.apply("steps", records, end);
        AWAIT(readSeriesCache(folder())->steps.size() == kSteps + 5000);
        compare(readRunSeries(folder()).value(), fromJournal());
    }

    void anIntactFileIsLeftAsItIs()
    {
        QVERIFY(!repairSeriesCache(folder()).value()); // there is none
        QVERIFY(rebuildSeriesCache(folder()).ok());
        QVERIFY(!repairSeriesCache(folder()).value());
    }

    void shortRunsNeedNoFile()
    {
        QVERIFY(fs::remove(journal()));
        write(1, 1, 100);
        QVERIFY(rebuildSeriesCache(folder()).ok());
        QVERIFY(!fs::exists(file()));
    }

private:
    QString folder() const { return m_folder->path(); }
    fs::path file() const { return fs::path(folder().toStdString()) / kSeriesFileName; }
    fs::path journal() const { return fs::path(folder().toStdString()) / "journal" / "steps"; }

    /// Returns where the journal ends then; `written`, where given, receives the records.
    JournalEnd write(std::uint32_t attempt, int first, int last, double shift = 0,
                     std::vector<Record>* written = nullptr)
    {
        fs::create_directories(journal().parent_path());
        auto writer = JournalWriter::open(journal().parent_path(), "steps", attempt).value();
        JournalEnd end;
        int count = 0;
        const auto append = [&](const Payload& payload) {
            end.lastSequence = writer.append(payload).value();
            ++count;
        };
        for (int step = first; step <= last; ++step) {
            append(stepOf(step, shift));
            if (const auto evaluation = evaluationAfter(step, shift))
                append(*evaluation);
        }
        end.validBytes = fs::file_size(journal());
        if (written) {
            const auto all = readJournal(journal()).value().records;
            written->assign(all.end() - count, all.end());
        }
        return end;
    }

    /// Writes steps to the journal and applies them to `series`, as following a run does.
    void grow(RunSeries& series, std::uint32_t attempt, int first, int last, double shift = 0)
    {
        std::vector<Record> records;
        const JournalEnd end = write(attempt, first, last, shift, &records);
        series.apply("steps", records);
        series.setStepsEnd(end);
    }

    static qint64 bytesRead()
    {
        QFile io("/proc/self/io");
        if (!io.open(QFile::ReadOnly))
            return 0;
        return io.readAll().split('\n').value(0).split(' ').value(1).toLongLong();
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
        for (int column = 0; column < kEvaluationColumns; ++column)
            QCOMPARE(actual.evaluations().column(EvaluationColumn(column)),
                     expected.evaluations().column(EvaluationColumn(column)));
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
