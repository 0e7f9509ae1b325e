#include <QTest>

#include <algorithm>
#include <numeric>

#include "engine/planner/pipeline/make_schedule.h"
#include "engine/planner/pipeline/simulator.h"
#include "tests/support/schedule/schedule_text.h"

using namespace trainyard;

namespace {

using Kind = PipelineScheduleKind;

PipelineTimeline timelineOf(Kind kind, const PipelineShape& shape, const StageCosts& stage = {})
{
    return simulate(makeSchedule(kind, shape).value(), uniformCosts(shape, stage)).value();
}

/// In micro-batches of all layers of a rank.
QList<double> inFlight(Kind kind, const PipelineShape& shape)
{
    QList<double> peaks;
    for (const int pairs : peakInFlight(makeSchedule(kind, shape).value()))
        peaks << double(pairs) / shape.chunks;
    return peaks;
}

QString print(const QList<double>& values)
{
    QStringList words;
    for (const double value : values)
        words << QString::number(value);
    return words.join(' ');
}

double sum(const std::vector<double>& values)
{
    return std::accumulate(values.begin(), values.end(), 0.0);
}

double largest(const std::vector<double>& values)
{
    return *std::max_element(values.begin(), values.end());
}

/// "F0 0-1, ...": passes of one rank with start and end.
QString passTimes(const std::vector<TimedAction>& rank, const PipelineShape& shape)
{
    QStringList words;
    for (const TimedAction& timed : rank) {
        if (timed.action.kind <= PipelineActionKind::BackwardWeight)
            words << QString("%1 %2-%3")
                         .arg(QString::fromStdString(toText(timed.action, shape)))
                         .arg(timed.start)
                         .arg(timed.end);
    }
    return words.join(", ");
}

} // namespace

Q_DECLARE_METATYPE(TransferMode)

class TestSimulator : public QObject {
    Q_OBJECT

private slots:
    void hasTheKnownBubbles_data()
    {
        QTest::addColumn<Kind>("kind");
        QTest::addColumn<PipelineShape>("shape");
        QTest::addColumn<QString>("bubble");
        // Measured with an independent event simulator, forward 1, backward 2.
        QTest::addRow("gpipe 4 x 8") << Kind::GPipe << PipelineShape{4, 1, 8} << "0.2727";
        QTest::addRow("1f1b 4 x 8") << Kind::OneForwardOneBackward << PipelineShape{4, 1, 8} << "0.2727";
        QTest::addRow("2 chunks 4 x 8") << Kind::Interleaved << PipelineShape{4, 2, 8} << "0.1579";
        QTest::addRow("4 chunks 4 x 8") << Kind::Interleaved << PipelineShape{4, 4, 8} << "0.0857";
        QTest::addRow("gpipe 8 x 32") << Kind::GPipe << PipelineShape{8, 1, 32} << "0.1795";
        QTest::addRow("1f1b 8 x 32") << Kind::OneForwardOneBackward << PipelineShape{8, 1, 32} << "0.1795";
        QTest::addRow("2 chunks 8 x 32") << Kind::Interleaved << PipelineShape{8, 2, 32} << "0.0986";
        QTest::addRow("4 chunks 8 x 32") << Kind::Interleaved << PipelineShape{8, 4, 32} << "0.0519";
        // (p - 1) (F + I - W) of m (F + I + W) + (p - 1) (F + I - W), Qi et al. (arXiv:2401.10241).
        QTest::addRow("zero-bubble 4 x 8") << Kind::ZeroBubble << PipelineShape{4, 1, 8} << "0.1111";
        QTest::addRow("zero-bubble 8 x 32") << Kind::ZeroBubble << PipelineShape{8, 1, 32} << "0.0680";
    }
    void hasTheKnownBubbles()
    {
        QFETCH(Kind, kind);
        QFETCH(PipelineShape, shape);
        QTEST(QString::number(timelineOf(kind, shape).bubbleShare(), 'f', 4), "bubble");
    }

    void holdsTheKnownActivations_data()
    {
        QTest::addColumn<Kind>("kind");
        QTest::addColumn<PipelineShape>("shape");
        QTest::addColumn<QString>("peaks");
        QTest::addRow("gpipe") << Kind::GPipe << PipelineShape{4, 1, 8} << "8 8 8 8";
        QTest::addRow("1f1b 4 x 8") << Kind::OneForwardOneBackward << PipelineShape{4, 1, 8} << "4 3 2 1";
        QTest::addRow("1f1b 8 x 32") << Kind::OneForwardOneBackward << PipelineShape{8, 1, 32}
                                     << "8 7 6 5 4 3 2 1";
        // First rank: p (1 + (p - 1) / (p v)), Megatron's penalty.
        QTest::addRow("2 chunks 4 x 8") << Kind::Interleaved << PipelineShape{4, 2, 8} << "5.5 4.5 3.5 2.5";
        QTest::addRow("4 chunks 4 x 8")
            << Kind::Interleaved << PipelineShape{4, 4, 8} << "4.75 4.25 3.75 3.25";
        QTest::addRow("2 chunks 8 x 32")
            << Kind::Interleaved << PipelineShape{8, 2, 32} << "11.5 10.5 9.5 8.5 7.5 6.5 5.5 4.5";
        QTest::addRow("few micro-batches") << Kind::Interleaved << PipelineShape{4, 2, 4} << "4 4 3.5 2.5";
        QTest::addRow("zero-bubble: the peak of 1f1b, on every rank")
            << Kind::ZeroBubble << PipelineShape{4, 1, 8} << "4 4 4 4";
    }
    void holdsTheKnownActivations()
    {
        QFETCH(Kind, kind);
        QFETCH(PipelineShape, shape);
        QTEST(print(inFlight(kind, shape)), "peaks");
    }

    void agreesWithTheClosedForms_data()
    {
        QTest::addColumn<int>("ranks");
        for (int ranks = 1; ranks <= 8; ++ranks)
            QTest::addRow("%d ranks", ranks) << ranks;
    }
    /// m v + p - 1 passes of each kind; for zero-bubble see above, with costs that tell its three passes
    /// apart.
    void agreesWithTheClosedForms()
    {
        QFETCH(int, ranks);
        const StageCosts unequal{5, 7, 4, 3, 0};
        for (int m = 1; m <= 32; ++m) {
            QCOMPARE(timelineOf(Kind::GPipe, {ranks, 1, m}, unequal).duration(), 12.0 * (m + ranks - 1));
            if (m < ranks)
                continue;
            QCOMPARE(timelineOf(Kind::OneForwardOneBackward, {ranks, 1, m}, unequal).duration(),
                     12.0 * (m + ranks - 1));
            QCOMPARE(timelineOf(Kind::ZeroBubble, {ranks, 1, m}, unequal).duration(),
                     12.0 * m + (5 + 4 - 3) * (ranks - 1));
            for (int chunks = 2; chunks <= 4; ++chunks)
                QCOMPARE(timelineOf(Kind::Interleaved, {ranks, chunks, m}).duration(),
                         3.0 * (m * chunks + ranks - 1));
        }
    }

    void holdsNoMoreThanTheClosedForms_data() { agreesWithTheClosedForms_data(); }
    void holdsNoMoreThanTheClosedForms()
    {
        QFETCH(int, ranks);
        for (int m = ranks; m <= 32; ++m) {
            for (int chunks = 2; chunks <= 4; ++chunks) {
                const int groups = m / ranks;
                const int group = (m + groups - 1) / groups;
                const auto peaks = peakInFlight(makeSchedule(Kind::Interleaved, {ranks, chunks, m}).value());
                for (int r = 0; r < ranks; ++r)
                    QCOMPARE(peaks[std::size_t(r)],
                             std::min(m * chunks, 2 * (ranks - r - 1) + (chunks - 1) * group + 1));
            }
            QCOMPARE(inFlight(Kind::ZeroBubble, {ranks, 1, m}), QList<double>(ranks, ranks));
        }
    }

    void timesEachPass()
    {
        // By hand: forward 1, backward 2, transfer 0.5; rank 1 twice as slow.
        const PipelineShape shape{2, 1, 2};
        const PipelineSchedule schedule = makeSchedule(Kind::OneForwardOneBackward, shape).value();
        const PipelineCosts costs{{StageCosts{1, 2}, StageCosts{2, 4}}, 0, 0.5};
        const PipelineTimeline timeline = simulate(schedule, costs).value();
        QCOMPARE(passTimes(timeline.ranks[0], shape), "F0 0-1, F1 1-2, B0 8-10, B1 14-16");
        QCOMPARE(passTimes(timeline.ranks[1], shape), "F0 1.5-3.5, B0 3.5-7.5, F1 7.5-9.5, B1 9.5-13.5");
        QCOMPARE(timeline.duration(), 16.0);
        QCOMPARE(timeline.bubbleShare(), 1 - (6 + 12) / 32.0);
    }

    void waitsMoreWhenTransfersBlock_data()
    {
        QTest::addColumn<TransferMode>("mode");
        QTest::addColumn<QString>("first");
        QTest::addColumn<QString>("last");
        // By hand, the costs of timesEachPass(); lists: F0 F0> F1 F1> >B0 B0 >B1 B1 and >F0 F0 >F1 B0 B0> F1
        // B1 B1>.
        QTest::addRow("eager") << TransferMode::Eager << "F0 0-1, F1 1-2, B0 8-10, B1 14-16"
                               << "F0 1.5-3.5, B0 3.5-7.5, F1 7.5-9.5, B1 9.5-13.5";
        QTest::addRow("rendezvous") << TransferMode::Rendezvous << "F0 0-1, F1 1.5-2.5, B0 8.5-10.5, B1 15-17"
                                    << "F0 1.5-3.5, B0 4-8, F1 8.5-10.5, B1 10.5-14.5";
    }
    void waitsMoreWhenTransfersBlock()
    {
        QFETCH(TransferMode, mode);
        const PipelineShape shape{2, 1, 2};
        const PipelineCosts costs{{StageCosts{1, 2}, StageCosts{2, 4}}, 0, 0.5};
        const auto timeline =
            simulate(makeSchedule(Kind::OneForwardOneBackward, shape).value(), costs, mode).value();
        QTEST(passTimes(timeline.ranks[0], shape), "first");
        QTEST(passTimes(timeline.ranks[1], shape), "last");
    }

    void isBoundByTheSlowestStageUnderGPipe()
    {
        // A flow shop whose jobs keep their order: sum over stages + (m - 1) times the slowest, there and
        // back.
        const std::vector<double> forward{1, 4, 2, 3};
        const std::vector<double> backward{5, 2, 8, 1};
        const PipelineShape shape{4, 1, 6};
        PipelineCosts costs;
        for (std::size_t i = 0; i < forward.size(); ++i)
            costs.stages.push_back({forward[i], backward[i]});
        QCOMPARE(simulate(makeSchedule(Kind::GPipe, shape).value(), costs).value().duration(),
                 sum(forward) + 5 * largest(forward) + sum(backward) + 5 * largest(backward));
    }

    void stepsOnAllRanksTogetherAfterTheReductions()
    {
        const PipelineShape shape{2, 1, 2};
        PipelineCosts costs = uniformCosts(shape, {1, 2, 1, 1, 0.25});
        costs.optimizerStep = 0.5;
        const auto timeline =
            simulate(makeSchedule(Kind::OneForwardOneBackward, shape).value(), costs).value();
        for (const auto& rank : timeline.ranks) {
            QVERIFY(rank.back().action.kind == PipelineActionKind::OptimizerStep);
            QCOMPARE(rank.back().start, 9.25);
            QCOMPARE(rank.back().end, 9.75);
        }
        QCOMPARE(timeline.duration(), 9.75);
        QCOMPARE(timeline.bubbleShare(), 1 - 2 * (6 + 0.25 + 0.5) / (2 * 9.75));
    }

    void simulatesALargePipelineInTime()
    {
        const PipelineShape shape{64, 4, 512};
        const PipelineTimeline timeline = timelineOf(Kind::Interleaved, shape);
        QCOMPARE(timeline.duration(), 3.0 * (512 * 4 + 63));
    }
};

QTEST_APPLESS_MAIN(TestSimulator)
#include "tst_simulator.moc"
