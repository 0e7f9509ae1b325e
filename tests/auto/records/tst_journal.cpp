#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <filesystem>

#include "engine/records/codec.h"
#include "engine/records/evaluation_metrics.h"
#include "engine/records/evaluation_state.h"
#include "engine/records/journal.h"
#include "engine/records/wire.h"

using namespace trainyard;

namespace {

StepRecord someStep(std::int64_t step)
{
    StepRecord record;
    record.step = step;
    record.loss = 7.5 - 0.01 * static_cast<double>(step);
    record.ranks.resize(2);
    record.ranks[1].peakMemory[0] = 4096;
    record.lossScale = 512;
    record.skipped = true;
    record.ranks[1].peakMemory[std::size_t(MemoryCategory::Host)] = 512;
    record.ranks[0].seconds[std::size_t(StepPhase::Forward)] = 0.25;
    record.ranks[0].seconds[std::size_t(StepPhase::Tensor)] = 0.125;
    return record;
}

PipelineTrace someTrace()
{
    const std::vector<TracedSpan> first{{TracedWork::Forward, 0, 0, 0.0, 0.25},
                                        {TracedWork::Optimizer, -1, -1, 0.5, 0.75}};
    return {12, 1, 2, {first, {}}};
}

EvaluationRecord someEvaluation()
{
    EvaluationRecord record{.step = 12, .loss = 7.25, .tokenLoss = 6.5, .sequenceLoss = 0.75};
    record.tokenAccuracy = 0.125;
    record.sequenceAccuracy = 0.5;
    record.tokens = 160;
    record.rows = 8;
    record.seconds = 0.25;
    record.best = true;
    return record;
}

constexpr std::size_t kRankCountAt = 11 * 8 + 1; // behind eleven numbers and a flag

std::string journalBytes(const std::filesystem::path& folder, int records)
{
    auto writer = JournalWriter::open(folder, "steps", 1).value();
    for (int i = 1; i <= records; ++i) {
        if (!writer.append(someStep(i)).ok())
            return {};
    }
    return readFile(folder / "steps").value();
}

DeviceSample someGpuSample()
{
    DeviceSample sample{2, 30, 80, 0.97, 200, 64.0, 412.5};
    sample.health = {.uuid = "GPU-5f2a",
                     .memoryCelsius = 71,
                     .limitWatts = 700,
                     .clockMhz = 1755,
                     .maxClockMhz = {},
                     .clockLimits = std::uint64_t{1} << unsigned(ClockLimit::Heat),
                     .correctedErrors = 3,
                     .uncorrectedErrors = 0,
                     .linkSent = 2e9,
                     .linkReceived = {},
                     .linkErrors = 1};
    return sample;
}

} // namespace

class TestJournal : public QObject {
    Q_OBJECT

private slots:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void describesProgress()
    {
        ProgressRecord progress{.stage = "evaluation", .done = 320, .total = 960, .unit = "rows"};
        QCOMPARE(progressText(progress), std::string("evaluation: 320 rows of 960 rows"));
        progress.rate = 0.5;
        progress.secondsLeft = 1280;
        QCOMPARE(progressText(progress),
                 std::string("evaluation: 320 rows of 960 rows, 0.5 rows/s, 21 min 20 s left"));
        QCOMPARE(progressText({.stage = "read", .done = 2048, .unit = "B"}), std::string("read: 2.00 KiB"));
    }

    void givesBackEveryKindOfRecord()
    {
        EventRecord event{Severity::Error, "rank-died", "rank 3 was killed", 3, 17};
        const std::vector<Payload> payloads{someStep(1),
                                            DeviceSample{0, 10, 20, 0.5, 30, 61.5, {}},
                                            event,
                                            StateRecord{RunState::Failed, "because", 7, 100, true},
                                            ProgressRecord{"clean", 5, 10, "pages", 2.5, 2.0, "{}"},
                                            someTrace(),
                                            someEvaluation(),
                                            someGpuSample(),
                                            DevicesRecord{"3 of 4 ranks see no CUDA device", {}},
                                            DevicesRecord{{}, {{"GPU-a", "H100", 80 * kGiB}, {}}},
                                            ExpertLoad{10, 3, {1, 3}, {5, 0, 7, 4, 4, 4'000'000'000}}};
        auto writer = JournalWriter::open(path(), "steps", 4).value();
        for (const Payload& payload : payloads)
            QVERIFY(writer.append(payload).ok());
        const auto content = readJournal(path() / "steps").value();
        QCOMPARE(content.records.size(), payloads.size());
        for (std::size_t i = 0; i < payloads.size(); ++i) {
            QVERIFY(content.records[i].payload == payloads[i]);
            QCOMPARE(content.records[i].sequence, std::uint64_t(i + 1));
            QCOMPARE(content.records[i].attempt, 4u);
        }
    }

    void healthFollowsASampleOfAGpuAlone()
    {
        const std::string with = encodePayload(someGpuSample());
        DeviceSample without = someGpuSample();
        without.health = {};
        const std::string before = encodePayload(without);
        QVERIFY(with.starts_with(before)); // what older readers know
        QVERIFY(std::get<DeviceSample>(decodePayload(1, before).value()) == without);
        QVERIFY(std::get<DeviceSample>(decodePayload(1, with + "later").value()) == someGpuSample());
        for (std::size_t keep = before.size() + 1; keep < with.size(); ++keep)
            QVERIFY(!decodePayload(1, with.substr(0, keep)));
    }

    void namesTheMetricsOfAnEvaluation()
    {
        const auto named = [](const EvaluationRecord& record, ModelFamily family) {
            QStringList names;
            for (const auto& [name, value] : metricsOf(record, family))
                names << QString("%1 %2")
                             .arg(QString::fromUtf8(name.data(), qsizetype(name.size())))
                             .arg(value);
            return names.join(", ");
        };
        EvaluationRecord record = someEvaluation();
        QCOMPARE(named(record, ModelFamily::Bert),
                 "mlm_loss 6.5, mlm_accuracy 0.125, nsp_loss 0.75, nsp_accuracy 0.5");
        record.sequenceAccuracy.reset();
        QCOMPARE(named(record, ModelFamily::Bert), "mlm_loss 6.5, mlm_accuracy 0.125");
        record.tokenLoss = 0;
        record.bitsPerByte = 1.5;
        QCOMPARE(named(record, ModelFamily::Gpt), "perplexity 1, accuracy 0.125, bits_per_byte 1.5");
        QCOMPARE(metricOf(record, EvaluationMetric::Loss), 7.25);
        QCOMPARE(metricOf(record, EvaluationMetric::Accuracy), 0.125);
        QVERIFY(isBetter(1, 2, EvaluationMetric::Loss) && !isBetter(1, 2, EvaluationMetric::Accuracy));
        QVERIFY(!isBetter(2, 2, EvaluationMetric::Loss));
    }

    void namesTheMetricsOfATask()
    {
        EvaluationRecord record = someEvaluation();
        record.tokenAccuracy = 0.75;
        const auto named = [&record] {
            QStringList names;
            for (const auto& [name, value] : metricsOf(record, ModelFamily::Bert))
                names << QString("%1 %2").arg(name.data()).arg(value);
            return names.join(", ");
        };
        record.task = {.kind = TaskKind::Classify, .f1 = 0.5, .matthews = 0.25};
        QCOMPARE(named(), "accuracy 0.75, f1 0.5, matthews 0.25");
        record.task = {.kind = TaskKind::Regress, .pearson = 0.5, .spearman = 0.25};
        QCOMPARE(named(), "pearson 0.5, spearman 0.25");
        record.task = {.kind = TaskKind::Tag}; // not of entities
        QCOMPARE(named(), "accuracy 0.75");
        record.task = {.kind = TaskKind::Answer, .f1 = 88.5, .exactMatch = 81};
        QCOMPARE(named(), "exact_match 81, f1 88.5");
    }

    /// What knows nothing of tasks reads and writes the same bytes as before.
    void recordsOfATaskAreLonger()
    {
        const EvaluationRecord without = someEvaluation();
        EvaluationRecord with = without;
        with.task = {.kind = TaskKind::Classify, .f1 = 0.5, .matthews = 0.25};
        const std::string shorter = encodePayload(without);
        const std::string longer = encodePayload(with);
        QCOMPARE(longer.size(), shorter.size() + 1 + 5 * sizeof(double));
        QVERIFY(longer.starts_with(shorter));
        const std::uint8_t type = std::uint8_t(Payload(with).index());
        QVERIFY(std::get<EvaluationRecord>(decodePayload(type, longer).value()) == with);
        QVERIFY(std::get<EvaluationRecord>(decodePayload(type, shorter).value()) == without);
        QVERIFY(!decodePayload(type, longer.substr(0, longer.size() - 1)));
        std::string unknown = longer;
        unknown[shorter.size()] = char(99);
        QVERIFY(!decodePayload(type, unknown));
    }

    void knowsTheBestEvaluationAndWhenToEnd()
    {
        EvaluationSpec spec{.patience = 2};
        EvaluationState state;
        const auto add = [&](std::int64_t step, double loss) {
            EvaluationRecord record;
            record.step = step;
            record.loss = loss;
            return state.add(record, spec.metric);
        };
        QVERIFY(!add(5, std::nan("")) && !reasonToEnd(spec, state));
        QVERIFY(add(10, 4.0) && add(20, 3.5) && !add(30, 3.5));
        QVERIFY((state == EvaluationState{30, 20, 3.5, 1}) && !reasonToEnd(spec, state));
        QVERIFY(!add(40, 3.75));
        QCOMPARE(reasonToEnd(spec, state).value(),
                 std::string("held-out loss has not improved in 2 evaluations since 3.5 at step 20 "
                             "(evaluation.patience)"));
        spec = {.target = 3.5};
        QCOMPARE(reasonToEnd(spec, state).value(),
                 std::string("held-out loss 3.5 at step 20 reaches evaluation.target 3.5"));
        spec.target = 3.4;
        QVERIFY(!reasonToEnd(spec, state));
        spec = {.metric = EvaluationMetric::Accuracy, .target = 0.7};
        QVERIFY(!reasonToEnd(spec, EvaluationState{10, 10, 0.6, 0}));
        QVERIFY(reasonToEnd(spec, EvaluationState{10, 10, 0.7, 0}));
        QVERIFY(!reasonToEnd(spec, EvaluationState{}));
    }

    void saysHowFarATargetWasMissed()
    {
        const EvaluationState state{400, 300, 2.31, 2};
        QCOMPARE(missedTarget({.target = 2}, state).value(),
                 std::string("target 2 not reached: best 2.31 at step 300"));
        QCOMPARE(missedTarget({.target = 2}, EvaluationState{}).value(),
                 std::string("target 2 not reached: the run has no evaluation"));
        QVERIFY(!missedTarget({.target = 2.31}, state));
        QVERIFY(!missedTarget({}, state));
        QVERIFY(missedTarget({.metric = EvaluationMetric::Accuracy, .target = 0.7},
                             EvaluationState{10, 10, 0.6, 0}));
    }

    void readsStepsOfFewerCategoriesAndPhases()
    {
        StepRecord step = someStep(1);
        std::string bytes = encodePayload(step).substr(0, kRankCountAt);
        WireWriter out(bytes);
        for (const std::uint32_t count : {1u, 1u, 2u}) // one rank; weights; input and forward
            out.number(count);
        out.number(Bytes{4096});
        out.number(Bytes{5000}); // in all
        out.number(Bytes{6000}); // resident
        out.number(0.5);
        out.number(0.25);
        step.ranks = {
            RankStats{.peakMemory = {4096}, .peakTotal = 5000, .residentSet = 6000, .seconds = {0.5, 0.25}}};
        const auto decoded = decodePayload(0, bytes);
        QVERIFY(decoded);
        QVERIFY(*decoded == Payload(step));
    }

    void skipsCategoriesAndPhasesThatItDoesNotKnow()
    {
        StepRecord step = someStep(1);
        step.ranks.resize(1);
        std::string bytes = encodePayload(step).substr(0, kRankCountAt);
        WireWriter out(bytes);
        for (const std::uint32_t count :
             {1u, std::uint32_t(kMemoryCategories + 1), std::uint32_t(kStepPhases + 1)})
            out.number(count);
        for (std::size_t i = 0; i < kMemoryCategories + 1 + 2; ++i)
            out.number(Bytes{i});
        for (std::size_t i = 0; i < kStepPhases + 1; ++i)
            out.number(double(i));
        const auto decoded = decodePayload(0, bytes);
        QVERIFY(decoded);
        const RankStats rank = std::get<StepRecord>(*decoded).ranks.at(0);
        QCOMPARE(rank.peakMemory.back(), Bytes{kMemoryCategories - 1});
        QCOMPARE(rank.peakTotal, Bytes{kMemoryCategories + 1});
        QCOMPARE(rank.residentSet, Bytes{kMemoryCategories + 2});
        QCOMPARE(rank.seconds.back(), double(kStepPhases - 1));
    }

    void refusesAJournalOfAnotherVersion()
    {
        std::string old = journalBytes(path() / "old", 2);
        old[7] = '1';
        QVERIFY(writeFileAtomically(path() / "steps", old).ok());
        for (const auto& error :
             {readJournal(path() / "steps").error(), JournalWriter::open(path(), "steps", 1).error(),
              completeFrames(old, 0).error()}) {
            QCOMPARE(error.kind, ErrorKind::Refused);
            QVERIFY(
                error.message.ends_with("the journal has format version 1; this Trainyard reads version 2"));
        }
        QVERIFY(readFile(path() / "steps").value() == old);
    }

    void readsNoTraceThatClaimsMoreThanItHas()
    {
        const std::string bytes = encodePayload(someTrace());
        for (std::size_t keep = 0; keep < bytes.size(); ++keep)
            QVERIFY(!decodePayload(5, bytes.substr(0, keep)));
        std::string unknownWork = bytes;
        unknownWork[sizeof(std::int64_t) + 2 * sizeof(std::int32_t) + 2 * sizeof(std::uint32_t)] = 77;
        QVERIFY(!decodePayload(5, unknownWork));
    }

    void parsesTheSameFromPiecesOfAnySize_data()
    {
        QTest::addColumn<int>("piece");
        for (const int piece : {1, 3, 7, 64, 1000})
            QTest::addRow("%d bytes", piece) << piece;
    }
    void parsesTheSameFromPiecesOfAnySize()
    {
        QFETCH(int, piece);
        const std::string bytes = journalBytes(path(), 20);
        JournalParser parser;
        std::int64_t expected = 1;
        for (std::size_t at = 0; at < bytes.size(); at += static_cast<std::size_t>(piece)) {
            for (const Record& record :
                 parser.feed(std::string_view(bytes).substr(at, static_cast<std::size_t>(piece))).value())
                QCOMPARE(std::get<StepRecord>(record.payload).step, expected++);
        }
        QCOMPARE(expected, 21);
        QCOMPARE(parser.validBytes(), std::uint64_t(bytes.size()));
    }

    void cutsATornTailAndGoesOn()
    {
        const std::string bytes = journalBytes(path(), 5);
        for (std::size_t keep = 0; keep < bytes.size(); keep += 11) {
            const auto file = path() / "steps";
            QVERIFY(writeFileAtomically(file, bytes.substr(0, keep)).ok());
            auto writer = JournalWriter::open(path(), "steps", 2).value();
            const auto sequence = writer.append(someStep(99)).value();
            const auto content = readJournal(file).value();
            QCOMPARE(content.records.back().sequence, sequence);
            QCOMPARE(content.records.size(), std::size_t(sequence));
            QCOMPARE(content.records.back().attempt, 2u);
        }
    }

    void keepsWhatFollowsDamageBesideTheJournal()
    {
        const std::string whole = journalBytes(path(), 10);
        const std::string half = journalBytes(path() / "half", 5);
        std::string damaged = whole;
        damaged[half.size() + 20] ^= 1;
        QVERIFY(writeFileAtomically(path() / "steps", damaged).ok());
        {
            auto writer = JournalWriter::open(path(), "steps", 2).value();
            QVERIFY(writer.append(someStep(6)).ok());
        }
        const auto content = readJournal(path() / "steps").value();
        QCOMPARE(content.records.size(), std::size_t(7)); // five, the event, one more
        QCOMPARE(std::get<EventRecord>(content.records[5].payload).kind, std::string("journal-repaired"));
        QCOMPARE(content.records[6].sequence, std::uint64_t(7));
        QVERIFY(readFile(path() / "steps.damaged").value() == damaged.substr(half.size()));
    }

    void leavesAFileAloneThatIsNoJournal()
    {
        QVERIFY(writeFileAtomically(path() / "steps", "my diary, volume 1").ok());
        QVERIFY(!JournalWriter::open(path(), "steps", 1).ok());
        QCOMPARE(readFile(path() / "steps").value(), std::string("my diary, volume 1"));
    }

    void scansInPiecesWhatItReadsAsAWhole()
    {
        const std::string whole = journalBytes(path(), 20'000); // several pieces
        std::int64_t next = 1;
        const auto end = scanJournal(path() / "steps", [&](const std::vector<Record>& records) {
                             for (const Record& record : records)
                                 QCOMPARE(std::get<StepRecord>(record.payload).step, next++);
                         }).value();
        QCOMPARE(next, std::int64_t(20'001));
        QCOMPARE(end.validBytes, std::uint64_t(whole.size()));
        QVERIFY(!end.damage);
    }

    void goesOnScanningWhereItEnded()
    {
        std::vector<std::uint64_t> sequences;
        const auto note = [&](const std::vector<Record>& records) {
            for (const Record& record : records)
                sequences.push_back(record.sequence);
        };
        auto writer = JournalWriter::open(path(), "steps", 1).value();
        QVERIFY(writer.append(someStep(1)).ok());
        const JournalEnd first = scanJournal(path() / "steps", note).value();
        QVERIFY(writer.append(someStep(2)).ok());
        QVERIFY(writer.append(someStep(3)).ok());
        const JournalEnd second = scanJournal(path() / "steps", note, first).value();
        QCOMPARE(sequences, (std::vector<std::uint64_t>{1, 2, 3}));
        QCOMPARE(second.lastSequence, std::uint64_t(3));
        QCOMPARE(second.validBytes, std::uint64_t(std::filesystem::file_size(path() / "steps")));
        QVERIFY(scanJournal(path() / "steps", note, {first.validBytes + 1, 1, {}}).value().damage);
    }

    void refusesASecondWriter()
    {
        auto writer = JournalWriter::open(path(), "steps", 1).value();
        QVERIFY(!JournalWriter::open(path(), "steps", 1).ok());
    }

    void findsEveryFlippedByte()
    {
        const std::string bytes = journalBytes(path(), 3);
        for (std::size_t at = 0; at < bytes.size(); ++at) {
            std::string damaged = bytes;
            damaged[at] = static_cast<char>(damaged[at] ^ 0x20);
            JournalParser parser;
            const auto records = parser.feed(damaged);
            // The damaged frame and everything after it never comes out as records.
            QVERIFY2(!records.ok() || records->size() < 3, qPrintable(QString::number(at)));
        }
    }

    void countsOnlyCompleteFrames()
    {
        const std::string bytes = journalBytes(path(), 3);
        const std::size_t two =
            completeFrames(std::string_view(bytes).substr(0, bytes.size() - 1), 0).value();
        QCOMPARE(completeFrames(bytes, 0).value(), bytes.size());
        QVERIFY(two > 8 && two < bytes.size());
        QCOMPARE(completeFrames(std::string_view(bytes).substr(two), two).value(), bytes.size() - two);
        QCOMPARE(completeFrames("TYJ", 0).value(), std::size_t(0));
        QVERIFY(!completeFrames(std::string_view(bytes).substr(two + 1), two + 1).ok());
        QVERIFY(!completeFrames("NOTOURS1", 0).ok());
    }

    void doesNotTrustTheRankCount()
    {
        std::string bytes = encodePayload(someStep(1));
        const std::uint32_t huge = 0xffffffffu;
        bytes.replace(kRankCountAt, 4, reinterpret_cast<const char*>(&huge), 4);
        QVERIFY(!decodePayload(0, bytes).has_value());
    }

private:
    std::filesystem::path path() const { return m_folder->path().toStdString(); }
    std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_APPLESS_MAIN(TestJournal)
#include "tst_journal.moc"
