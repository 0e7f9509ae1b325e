#include <QTemporaryDir>
#include <QTest>

#include "engine/hand_over/training_history.h"
#include "engine/records/journal.h"

using namespace trainyard;

namespace {

StepRecord step(std::int64_t number, double loss)
{
    StepRecord record;
    record.step = number;
    record.loss = loss;
    record.tokens = 100;
    record.stepSeconds = 0.5;
    return record;
}

EvaluationRecord evaluation(std::int64_t number, double loss)
{
    EvaluationRecord record;
    record.step = number;
    record.loss = loss;
    return record;
}

} // namespace

class TestTrainingHistory : public QObject {
    Q_OBJECT

private slots:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void countsEachStepOnce()
    {
        write(1, {step(1, 9), step(2, 8), evaluation(2, 8.5), step(3, 7)});
        write(2, {step(2, 6), evaluation(2, 6.5), step(3, 5), step(4, 4)});
        const TrainingHistory history = read(3);
        QCOMPARE(history.steps, 3);
        QCOMPARE(history.attempts, 2u);
        QCOMPARE(history.tokens, 300);
        QCOMPARE(history.seconds, 1.5);
        QCOMPARE(history.curve.size(), std::size_t(3));
        QCOMPARE(history.curve[1].loss, 6.0);
        QCOMPARE(history.curve[2].loss, 5.0);
        QCOMPARE(history.evaluations.size(), std::size_t(1));
        QCOMPARE(history.evaluations.front().loss, 6.5);
    }

    void showsFewStepsFromFirstToLast()
    {
        std::vector<Payload> steps;
        for (int number = 1; number <= 1001; ++number)
            steps.push_back(step(number, number));
        write(1, steps);
        const TrainingHistory history = read(5000);
        QCOMPARE(history.curve.size(), kCurvePoints);
        for (std::size_t i = 0; i < kCurvePoints; ++i)
            QCOMPARE(history.curve[i].step, std::int64_t(1 + 100 * i));
        QCOMPARE(history.steps, 1001);
    }

    void countsSkippedSteps()
    {
        StepRecord skipped = step(2, 8);
        skipped.skipped = true;
        write(1, {step(1, 9), skipped});
        QCOMPARE(read(2).skipped, 1);
    }

    void needsAJournal() { QVERIFY(!readTrainingHistory(path() / "steps", Step{1}).ok()); }

private:
    std::filesystem::path path() const { return m_folder->path().toStdString(); }
    void write(std::uint32_t attempt, const std::vector<Payload>& payloads)
    {
        auto writer = JournalWriter::open(path(), "steps", attempt).value();
        for (const Payload& payload : payloads)
            QVERIFY(writer.append(payload).ok());
    }
    TrainingHistory read(std::int64_t last) const
    {
        return readTrainingHistory(path() / "steps", Step{last}).value();
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_GUILESS_MAIN(TestTrainingHistory)
#include "tst_training_history.moc"
