#include <QTest>

#include <algorithm>

#include "engine/planner/pipeline/make_schedule.h"
#include "engine/planner/pipeline/simulator.h"
#include "tests/support/schedule/schedule_check.h"
#include "tests/support/schedule/schedule_text.h"

using namespace trainyard;

namespace {

using Kind = PipelineScheduleKind;

const QList<std::pair<Kind, PipelineShape>> kSmallSchedules{
    {Kind::GPipe, {3, 1, 3}},
    {Kind::OneForwardOneBackward, {3, 1, 4}},
    {Kind::Interleaved, {2, 2, 4}},
    {Kind::ZeroBubble, {3, 1, 4}},
};

QString problemOf(const PipelineSchedule& schedule)
{
    const Status status = checkSchedule(schedule);
    return status.ok() ? QString() : QString::fromStdString(status.error().message);
}

/// What an evaluation does of it.
PipelineSchedule forwardPartsOf(PipelineSchedule schedule)
{
    using Part = PipelineActionKind;
    for (ActionList& list : schedule.ranks)
        std::erase_if(list, [](const PipelineAction& action) {
            return action.kind != Part::Forward && action.kind != Part::SendActivation &&
                   action.kind != Part::ReceiveActivation;
        });
    return schedule;
}

/// Empty when no rank waits for ever, with sends that wait for their receiver.
QString deadlockOf(const PipelineSchedule& schedule)
{
    const auto timeline = simulate(schedule, uniformCosts(schedule.shape), TransferMode::Rendezvous);
    return timeline.ok() ? QString() : QString::fromStdString(timeline.error().message);
}

/// Two ranks, one chunk, two micro-batches.
QString problemOf(const char* first, const char* second)
{
    const auto text =
        std::string("ranks 2, chunks 1, micro-batches 2\n0: ") + first + "\n1: " + second + "\n";
    return problemOf(parseSchedule(text).value());
}

const char* const kFirst = "F0 F0> F1 F1> >B0 B0 >B1 B1 reduce step";
const char* const kLast = ">F0 F0 >F1 B0 B0> F1 B1 B1> reduce step";

} // namespace

class TestScheduleCheck : public QObject {
    Q_OBJECT

private slots:
    void acceptsEverySchedule_data()
    {
        QTest::addColumn<int>("ranks");
        for (int ranks = 1; ranks <= 8; ++ranks)
            QTest::addRow("%d ranks", ranks) << ranks;
    }
    void acceptsEverySchedule()
    {
        QFETCH(int, ranks);
        for (int m = 1; m <= 32; ++m) {
            QCOMPARE(problemOf(makeSchedule(Kind::GPipe, {ranks, 1, m}).value()), "");
            if (m < ranks)
                continue;
            QCOMPARE(problemOf(makeSchedule(Kind::OneForwardOneBackward, {ranks, 1, m}).value()), "");
            QCOMPARE(problemOf(makeSchedule(Kind::ZeroBubble, {ranks, 1, m}).value()), "");
            for (int chunks = 2; chunks <= 4; ++chunks)
                QCOMPARE(problemOf(makeSchedule(Kind::Interleaved, {ranks, chunks, m}).value()), "");
        }
    }

    // As a device makes them, whose sends wait for the receiver's memory, and whose host waits for the device
    // at moments that it does not choose (a full queue, memory that is freed, code that is loaded).
    void noRankWaitsForEverWhenSendsBlock_data()
    {
        QTest::addColumn<int>("ranks");
        for (const int ranks : {2, 3, 4, 6, 8, 12, 16})
            QTest::addRow("%d ranks", ranks) << ranks;
    }
    void noRankWaitsForEverWhenSendsBlock()
    {
        QFETCH(int, ranks);
        for (const int m : {ranks, ranks + 1, 2 * ranks - 1, 2 * ranks, 3 * ranks + 2, 5 * ranks}) {
            for (const Kind kind : {Kind::GPipe, Kind::OneForwardOneBackward, Kind::ZeroBubble}) {
                const PipelineSchedule schedule = makeSchedule(kind, {ranks, 1, m}).value();
                QCOMPARE(deadlockOf(schedule), "");
                QCOMPARE(deadlockOf(forwardPartsOf(schedule)), "");
            }
            for (const int chunks : {2, 3, 5, 8}) {
                const PipelineSchedule schedule = makeSchedule(Kind::Interleaved, {ranks, chunks, m}).value();
                QCOMPARE(deadlockOf(schedule), "");
                QCOMPARE(deadlockOf(forwardPartsOf(schedule)), "");
            }
        }
    }

    void refusesFewerMicroBatchesThanRanks()
    {
        for (const Kind kind : {Kind::OneForwardOneBackward, Kind::Interleaved, Kind::ZeroBubble})
            QVERIFY(!makeSchedule(kind, {4, kind == Kind::Interleaved ? 2 : 1, 3}).ok());
    }

    void acceptsAWholeBackwardPassAmongSplitOnes()
    {
        QCOMPARE(problemOf("F0 F0> F1 F1> >B0 I0 W0 >B1 B1 reduce step", kLast), "");
    }

    void namesWhatIsWrong_data()
    {
        QTest::addColumn<QString>("first");
        QTest::addColumn<QString>("last");
        QTest::addColumn<QString>("problem");
        QTest::addRow("nothing") << kFirst << kLast << "";
        QTest::addRow("a forward pass dropped")
            << "F0 F0> >B0 B0 reduce step" << kLast << "rank 0: reduce comes before B1";
        QTest::addRow("a receive dropped") << kFirst << ">F0 F0 >F1 B0 B0> F1 B1 reduce step"
                                           << "rank 1: B1> is missing";
        QTest::addRow("a send dropped")
            << "F0 F1 F1> >B0 B0 >B1 B1 reduce step" << kLast << "rank 0: F0> is missing";
        QTest::addRow("step dropped")
            << "F0 F0> F1 F1> >B0 B0 >B1 B1 reduce" << kLast << "rank 0: step is missing";
        QTest::addRow("weight gradient dropped")
            << "F0 F0> F1 F1> >B0 B0 >B1 I1 reduce step" << kLast << "rank 0: reduce comes before W1";
        QTest::addRow("a pass twice")
            << "F0 F0> F0 F1 F1> >B0 B0 >B1 B1 reduce step" << kLast << "rank 0: F0 appears twice";
        QTest::addRow("whole backward pass after its half")
            << "F0 F0> F1 F1> >B0 I0 B0 >B1 B1 reduce step" << kLast << "rank 0: B0 appears twice";
        QTest::addRow("micro-batch that is none") << "F0 F0> F1 F1> F2 >B0 B0 >B1 B1 reduce step" << kLast
                                                  << "rank 0: F2 does not belong to this pipeline";
        QTest::addRow("send beyond the last stage") << kFirst << ">F0 F0 F0> >F1 B0 B0> F1 B1 B1> reduce step"
                                                    << "rank 1: F0> does not belong to this pipeline";
        QTest::addRow("forward before its input") << kFirst << "F0 >F0 >F1 B0 B0> F1 B1 B1> reduce step"
                                                  << "rank 1: F0 comes before >F0";
        QTest::addRow("backward before its gradient")
            << "F0 F0> F1 F1> B0 >B0 >B1 B1 reduce step" << kLast << "rank 0: B0 comes before >B0";
        QTest::addRow("backward before forward") << kFirst << ">F0 B0 F0 >F1 B0> F1 B1 B1> reduce step"
                                                 << "rank 1: B0 comes before F0";
        QTest::addRow("send before its pass")
            << "F0> F0 F1 F1> >B0 B0 >B1 B1 reduce step" << kLast << "rank 0: F0> comes before F0";
        QTest::addRow("gradient sent too early") << kFirst << ">F0 F0 >F1 B0> B0 F1 B1 B1> reduce step"
                                                 << "rank 1: B0> comes before B0";
        QTest::addRow("weight gradient before input gradient")
            << "F0 F0> F1 F1> >B0 W0 I0 >B1 B1 reduce step" << kLast << "rank 0: W0 comes before B0";
        QTest::addRow("reduction too early")
            << "F0 F0> F1 F1> >B0 B0 reduce >B1 B1 step" << kLast << "rank 0: reduce comes before B1";
        QTest::addRow("step before reduction")
            << "F0 F0> F1 F1> >B0 B0 >B1 B1 step reduce" << kLast << "rank 0: step comes before reduce";
        QTest::addRow("send after the step") << "F0 F0> F1 F1> >B0 B0 >B1 B1 reduce step"
                                             << ">F0 F0 >F1 B0 B0> F1 B1 reduce step B1>"
                                             << "rank 1: B1> comes after the step";
        QTest::addRow("receives in another order") << kFirst << ">F1 >F0 F0 B0 B0> F1 B1 B1> reduce step"
                                                   << "rank 1: >F1 is next, but rank 0 sends for >F0";
        QTest::addRow("deadlock with blocking sends only")
            << "F0 F0> F1 F1> >B0 B0 >B1 B1 reduce step"
            << ">F0 F0 B0 B0> >F1 F1 B1 B1> reduce step"
            << "with rendezvous sends: deadlock: rank 0 waits in F1>, rank 1 waits in B0>";
        QTest::addRow("deadlock with any sends")
            << "F0 F0> >B0 B0 F1 F1> >B1 B1 reduce step"
            << ">F0 F0 >F1 F1 B0 B0> B1 B1> reduce step"
            << "with eager sends: deadlock: rank 0 waits in >B0, rank 1 waits in >F1";
    }
    void namesWhatIsWrong()
    {
        QFETCH(QString, first);
        QFETCH(QString, last);
        QTEST(problemOf(qPrintable(first), qPrintable(last)), "problem");
    }

    void refusesAWrongNumberOfLists()
    {
        PipelineSchedule schedule = makeSchedule(Kind::GPipe, {2, 1, 2}).value();
        schedule.ranks.pop_back();
        QCOMPARE(problemOf(schedule), "there are 1 lists for 2 pipeline ranks");
        QCOMPARE(problemOf(PipelineSchedule{{0, 1, 1}, {}}),
                 "a pipeline needs at least one rank, one chunk and one micro-batch");
    }

    void noticesEveryDroppedOrDoubledAction()
    {
        for (const auto& [kind, shape] : kSmallSchedules) {
            const PipelineSchedule whole = makeSchedule(kind, shape).value();
            for (std::size_t rank = 0; rank < whole.ranks.size(); ++rank) {
                for (std::size_t i = 0; i < whole.ranks[rank].size(); ++i) {
                    PipelineSchedule dropped = whole;
                    dropped.ranks[rank].erase(dropped.ranks[rank].begin() + std::ptrdiff_t(i));
                    QVERIFY2(!problemOf(dropped).isEmpty(), toText(dropped).c_str());
                    PipelineSchedule doubled = whole;
                    doubled.ranks[rank].push_back(whole.ranks[rank][i]);
                    QVERIFY2(!problemOf(doubled).isEmpty(), toText(doubled).c_str());
                }
            }
        }
    }

    void noticesEveryMessageReceivedOutOfTurn()
    {
        for (const auto& [kind, shape] : kSmallSchedules) {
            const PipelineSchedule whole = makeSchedule(kind, shape).value();
            for (std::size_t rank = 0; rank < whole.ranks.size(); ++rank) {
                const ActionList& list = whole.ranks[rank];
                for (std::size_t i = 0; i < list.size(); ++i) {
                    const auto next = std::find_if(list.begin() + std::ptrdiff_t(i) + 1, list.end(),
                                                   [&](const auto& a) { return a.kind == list[i].kind; });
                    if (!isReceive(list[i].kind) || next == list.end())
                        continue;
                    PipelineSchedule mutant = whole;
                    std::swap(mutant.ranks[rank][i], mutant.ranks[rank][std::size_t(next - list.begin())]);
                    QVERIFY2(!problemOf(mutant).isEmpty(), toText(mutant).c_str());
                }
            }
        }
    }
};

QTEST_APPLESS_MAIN(TestScheduleCheck)
#include "tst_schedule_check.moc"
