#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <ctime>
#include <numeric>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/file.h"
#include "engine/base/units.h"
#include "engine/comm/flight_recorder.h"
#include "engine/comm/local_transport.h"
#include "engine/comm/process_group.h"
#include "engine/records/flight_ring.h"
#include "engine/records/flight_verdict.h"

using namespace trainyard;

class TestFlightRing : public QObject {
    Q_OBJECT

private slots:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void givesBackWhatWasRecorded()
    {
        auto recorder = create(0, 2);
        recorder->setStep(Step{7});
        recorder->setActivity(Activity::Backward);
        recorder->leave(recorder->enter(0, 1, CollectiveKind::Broadcast, 10));
        recorder->enter(0, 2, CollectiveKind::AllReduce, 4096);

        const FlightSnapshot ring = readFlightRing(file(0)).value();
        QCOMPARE(ring.step, std::int64_t(7));
        QCOMPARE(ring.activity, Activity::Backward);
        QCOMPARE(ring.pid, int(::getpid()));
        QCOMPARE(ring.entries.size(), std::size_t(2));
        QVERIFY(ring.entries[0].leftNs >= ring.entries[0].enteredNs);
        QCOMPARE(ring.entries[1].leftNs, std::int64_t(0));
        QCOMPARE(ring.entries[1].bytes, std::uint64_t(4096));
    }

    void keepsTheNewestWhenItIsFull()
    {
        auto recorder = create(0, 1, 4);
        for (std::uint64_t sequence = 1; sequence <= 10; ++sequence)
            recorder->enter(0, sequence, CollectiveKind::Barrier, 0);
        const FlightSnapshot ring = readFlightRing(file(0)).value();
        QCOMPARE(ring.entries.size(), std::size_t(4));
        QCOMPARE(ring.entries.front().sequence, std::uint64_t(7));
        QCOMPARE(ring.entries.back().sequence, std::uint64_t(10));
    }

    void doesNotMarkAnOverwrittenSlotAsLeft()
    {
        auto recorder = create(0, 1, 2);
        const auto first = recorder->enter(0, 1, CollectiveKind::AllReduce, 0);
        recorder->enter(0, 2, CollectiveKind::AllReduce, 0);
        recorder->enter(0, 3, CollectiveKind::AllReduce, 0);
        recorder->leave(first);
        for (const FlightEntry& entry : readFlightRing(file(0)).value().entries)
            QCOMPARE(entry.leftNs, std::int64_t(0));
    }

    void recordsEveryCollectiveOfAGroup()
    {
        auto recorder = create(0, 1);
        ProcessGroup group({std::make_unique<LocalTransport>(), nullptr, recorder.get(), 5});
        std::vector<float> values(3);
        group.allReduce(std::span(values));
        group.barrier();
        const FlightSnapshot ring = readFlightRing(file(0)).value();
        QCOMPARE(ring.entries.size(), std::size_t(2));
        QCOMPARE(ring.entries[0].bytes, std::uint64_t(12));
        QCOMPARE(ring.entries[0].group, 5u);
        QCOMPARE(ring.entries[1].sequence, std::uint64_t(2));
        QCOMPARE(ring.entries[1].kind, CollectiveKind::Barrier);
    }

    void survivesKill9()
    {
        const pid_t child = ::fork();
        if (child == 0) {
            auto recorder = create(3, 4);
            recorder->setActivity(Activity::Forward);
            recorder->enter(0, 12, CollectiveKind::AllReduce, 64);
            ::raise(SIGKILL);
        }
        int status = 0;
        QCOMPARE(::waitpid(child, &status, 0), child);
        QVERIFY(WIFSIGNALED(status));
        const FlightSnapshot ring = readFlightRing(file(3)).value();
        QCOMPARE(ring.rank, 3);
        QCOMPARE(ring.pid, int(child));
        QCOMPARE(ring.activity, Activity::Forward);
        QCOMPARE(ring.entries.back().sequence, std::uint64_t(12));
    }

    void namesTheRankThatDidNotEnter()
    {
        FlightSnapshot waiting{0,
                               3,
                               1,
                               1,
                               Activity::Reduce,
                               0,
                               4,
                               {{8, 0, CollectiveKind::AllReduce, 4 * kMiB, 5, 6, 4},
                                {9, 0, CollectiveKind::AllReduce, 4 * kMiB, 7, 0, 4}}};
        FlightSnapshot late{
            1, 3, 2, 1, Activity::Forward, 0, 4, {{8, 0, CollectiveKind::AllReduce, 4 * kMiB, 5, 6, 4}}};
        FlightSnapshot also = waiting;
        also.rank = 2;
        const auto verdict = judgeFlight({waiting, late, also});
        QVERIFY(verdict.has_value());
        QCOMPARE(verdict->missing, std::vector<int>{1});
        QCOMPARE(verdict->waiting, (std::vector<int>{0, 2}));
        QCOMPARE(
            verdict->text,
            std::string(
                "rank 1 did not enter all-reduce 9 (4.00 MiB) of step 4: last seen in forward of step 4"));
    }

    void findsTheCauseBehindWaitsOfOtherGroups()
    {
        // Tensor groups {0, 1} and {2, 3}, data groups {0, 2} and {1, 3}. Rank 3 stands in its forward pass:
        // 2 waits for it, 0 for 2, and 1 for 0.
        const auto inside = [](int rank, std::uint32_t group, std::uint64_t sequence) {
            FlightSnapshot ring{rank, 4, rank, 1, Activity::Reduce, 0, 4, {}, {}};
            ring.entries = {{sequence, group, CollectiveKind::AllReduce, kMiB, 5, 0, 4}};
            ring.groups = {{10, {0, 1}}, {12, {2, 3}}, {20, {0, 2}}, {21, {1, 3}}};
            return ring;
        };
        FlightSnapshot standing = inside(3, 12, 1);
        standing.entries.clear();
        standing.activity = Activity::Forward;
        const auto verdict = judgeFlight({inside(0, 20, 3), inside(1, 10, 2), inside(2, 12, 7), standing});
        QVERIFY(verdict.has_value());
        QCOMPARE(verdict->missing, std::vector<int>{3});
        QCOMPARE(verdict->waiting, std::vector<int>{2});
    }

    void remembersWhoIsInAGroup()
    {
        const auto ring0 = file(0);
        const auto recorder = FlightRecorder::create(ring0, {Rank{0}, WorldSize{4}, 1}).value();
        recorder->describe({7, {Rank{0}, Rank{2}}});
        recorder->describe({9, {Rank{0}, Rank{3}}});
        const FlightSnapshot ring = readFlightRing(ring0).value();
        QCOMPARE(ring.groups, (FlightSnapshot::Groups{{7, {0, 2}}, {9, {0, 3}}}));
    }

    void remembersAllGroupsOfALargeRun()
    {
        std::vector<Rank> everybody;
        for (int rank = 0; rank < 4096; ++rank)
            everybody.push_back(Rank{rank});
        const auto recorder = create(0, 4096);
        for (int phase = 0; phase < 3; ++phase) { // each makes the groups anew
            for (std::uint32_t group = 0; group < 9; ++group)
                recorder->describe({group, everybody});
            for (std::uint32_t link = 9; link < 13; ++link)
                recorder->describe({link, {Rank{0}, Rank{4095}}});
        }
        const FlightSnapshot ring = readFlightRing(file(0)).value();
        QCOMPARE(ring.groups.size(), std::size_t(13));
        QCOMPARE(ring.groups.at(8).size(), everybody.size());
        QCOMPARE(ring.groups.at(12), (std::vector<int>{0, 4095}));
    }

    // All but one wait in 64 collectives of a group of all: searching each ring for each of them takes
    // minutes.
    void judgesAThousandRanksInSeconds()
    {
        constexpr int kRanks = 1024;
        constexpr int kLate = 700;
        std::vector<int> everybody(kRanks);
        std::iota(everybody.begin(), everybody.end(), 0);
        std::vector<FlightSnapshot> rings;
        for (int rank = 0; rank < kRanks; ++rank) {
            FlightSnapshot ring{rank, kRanks, rank, 1, Activity::Reduce, 0, 4, {}, {}, {{5, everybody}}};
            for (std::uint64_t sequence = 1; sequence <= (rank == kLate ? 192u : 256u); ++sequence)
                ring.entries.push_back(
                    {sequence, 5, CollectiveKind::AllReduce, kMiB, 5, sequence <= 192 ? 6 : 0, 4});
            rings.push_back(std::move(ring));
        }
        const std::clock_t begin = std::clock();
        const auto verdict = judgeFlight(rings);
        const double seconds = double(std::clock() - begin) / CLOCKS_PER_SEC;
        qInfo("%.3f s", seconds);
        QVERIFY(verdict.has_value());
        QCOMPARE(verdict->missing, std::vector<int>{kLate});
        QCOMPARE(verdict->collective.sequence, std::uint64_t(193));
        QVERIFY2(seconds < 2, qPrintable(QString::number(seconds)));
    }

    void saysNothingWhenAllMove()
    {
        FlightSnapshot one{
            0, 2, 1, 1, Activity::Reduce, 0, 4, {{9, 0, CollectiveKind::AllReduce, 64, 7, 0, 4}}};
        FlightSnapshot two = one;
        two.rank = 1;
        QVERIFY(!judgeFlight({one, two}).has_value());
        QVERIFY(!judgeFlight({}).has_value());
    }

    void blamesNoRankWhoseRingIsElsewhere()
    {
        const FlightSnapshot waiting{
            0, 6, 1, 1, Activity::Reduce, 0, 4, {{9, 0, CollectiveKind::AllReduce, 64, 7, 0, 4}}};
        const auto alone = judgeFlight({waiting});
        QVERIFY(alone.has_value());
        QVERIFY(alone->missing.empty());
        QCOMPARE(alone->unseen, (std::vector<int>{1, 2, 3, 4, 5}));
        QCOMPARE(
            alone->text,
            std::string("rank 0 waits in all-reduce 9 (64 B) of step 4; ranks 1-5: not visible from here"));

        const FlightSnapshot late{2, 6, 1, 1, Activity::Input, 0, 4, {}};
        const auto both = judgeFlight({waiting, late});
        QVERIFY(both.has_value());
        QCOMPARE(both->missing, std::vector<int>{2});
        QCOMPARE(both->text,
                 std::string("rank 2 did not enter all-reduce 9 (64 B) of step 4: last seen in input "
                             "of step 4; ranks 1, 3-5: not visible from here"));
    }

    /// A collective that lacks only ranks of other hosts explains less than one whose missing rank is seen.
    void prefersWhatARingShows()
    {
        const auto inside = [](int rank, std::uint32_t group, std::uint64_t sequence) {
            FlightSnapshot ring{rank, 4, rank, 1, Activity::Reduce, 0, 4, {}, {}};
            ring.entries = {{sequence, group, CollectiveKind::AllReduce, kMiB, 5, 0, 4}};
            ring.groups = {{10, {0, 1}}, {20, {0, 2}}, {21, {1, 3}}};
            return ring;
        };
        FlightSnapshot standing = inside(2, 20, 1);
        standing.entries.clear();
        const auto verdict = judgeFlight({inside(0, 20, 8), inside(1, 21, 3), standing});
        QVERIFY(verdict.has_value());
        QCOMPARE(verdict->missing, std::vector<int>{2});
        QVERIFY(verdict->unseen.empty());
    }

    void refusesForeignAndTruncatedFiles()
    {
        {
            auto recorder = create(0, 1, 4);
        }
        const std::string bytes = readFile(file(0)).value();
        for (const std::size_t keep :
             {std::size_t(0), std::size_t(17), sizeof(FlightRingHeader), bytes.size() - 1}) {
            QVERIFY(writeFileAtomically(file(0), bytes.substr(0, keep)).ok());
            QVERIFY(!readFlightRing(file(0)).ok());
        }
        std::string huge = bytes;
        huge.replace(8, 4, "\xff\xff\xff\xff", 4);
        QVERIFY(writeFileAtomically(file(0), huge).ok());
        QVERIFY(!readFlightRing(file(0)).ok());
        QVERIFY(!readFlightRing(file(9)).ok());
    }

    void keepsTheNewestPasses()
    {
        const auto recorder = create(0, 1);
        const int passes = static_cast<int>(FlightRecorder::kPassCapacity) + 2;
        for (int pass = 0; pass < passes; ++pass) {
            recorder->setStep(Step{pass / 4 + 1});
            const auto ticket = recorder->beginPass(TracedWork::Backward, pass % 4, 1);
            if (pass + 1 < passes)
                recorder->endPass(ticket);
        }
        const auto ring = readFlightRing(file(0)).value();
        QCOMPARE(ring.passes.size(), std::size_t(FlightRecorder::kPassCapacity));
        QCOMPARE(ring.passes.front().number, std::uint64_t(3));
        QCOMPARE(ring.passes.front().microBatch, 2);
        QCOMPARE(ring.passes.front().chunk, 1);
        QCOMPARE(ring.passes.front().step, std::int64_t(1));
        QVERIFY(ring.passes.front().leftNs >= ring.passes.front().enteredNs);
        QCOMPARE(ring.passes.back().leftNs, std::int64_t(0)); // under way
        QVERIFY(ring.entries.empty());
    }

    void readsARingOfAVersionWithoutPasses()
    {
        create(0, 1)->setStep(Step{7});
        const std::size_t older = sizeof(FlightRingHeader) + 64 * sizeof(FlightRingSlot) + (1u << 15);
        std::string bytes = readFile(file(0)).value().substr(0, older);
        bytes.replace(offsetof(FlightRingHeader, passCapacity), 4, 4, '\0');
        const auto ring = parseFlightRing(bytes, "old").value();
        QCOMPARE(ring.step, std::int64_t(7));
        QVERIFY(ring.passes.empty());
        QVERIFY(!parseFlightRing(bytes.substr(0, older - 1), "short").ok());
    }

private:
    std::filesystem::path file(int rank) const
    {
        return std::filesystem::path(m_folder->path().toStdString()) / (std::to_string(rank) + ".ring");
    }
    std::unique_ptr<FlightRecorder> create(int rank, int worldSize, std::uint32_t capacity = 64) const
    {
        return FlightRecorder::create(file(rank), {Rank{rank}, WorldSize{worldSize}, 1}, capacity).value();
    }
    std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_APPLESS_MAIN(TestFlightRing)
#include "tst_flight_ring.moc"
