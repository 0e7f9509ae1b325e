#include <algorithm>
#include <map>
#include <vector>

#include <QTest>

#include "engine/comm/collective_watchdog.h"
#include "engine/comm/group_maker.h"
#include "engine/comm/process_groups.h"
#include "engine/comm/threads_transport.h"

using namespace trainyard;
using namespace std::chrono_literals;

namespace {

/// Groups as one rank makes and closes them.
struct RankGroups {
    std::vector<GroupDescription> made;
    std::vector<std::uint32_t> closed;
};

/// Does nothing but tell its end.
class ClosingTransport final : public DeviceTransport {
public:
    explicit ClosingTransport(std::function<void()> onClose) : m_onClose(std::move(onClose)) {}
    ~ClosingTransport() override { m_onClose(); }

    bool reaches(const void*) const override { return false; }
    Pending allReduce(FloatSpan, ReduceOp) override { return nullptr; }
    Pending broadcast(std::span<std::byte>, Rank) override { return nullptr; }
    Pending allGather(std::span<std::byte>) override { return nullptr; }
    Pending reduceScatter(FloatSpan) override { return nullptr; }
    Pending send(std::span<const std::byte>, Rank) override { return nullptr; }
    Pending receive(std::span<std::byte>, Rank) override { return nullptr; }
    Pending shift(std::span<const std::byte>, std::span<std::byte>) override { return nullptr; }
    Pending allToAll(std::span<const std::byte>, const BytesByRank&, std::span<std::byte>,
                     const BytesByRank&) override
    {
        return nullptr;
    }

private:
    const std::function<void()> m_onClose;
};

/// A rank alone that makes the groups of many.
class NotingMaker final : public GroupMaker {
public:
    NotingMaker(Rank rank, WorldSize size, RankGroups& notes) : m_rank(rank), m_size(size), m_notes(notes) {}

    Rank rank() const override { return m_rank; }
    WorldSize worldSize() const override { return m_size; }
    std::unique_ptr<ProcessGroup> make(const GroupDescription& description) override
    {
        m_notes.made.push_back(description);
        auto meeting = std::make_shared<ThreadsMeeting>(static_cast<int>(description.members.size()));
        auto group = std::make_unique<ProcessGroup>(ProcessGroup::Parts{
            std::make_unique<ThreadsTransport>(std::move(meeting), Rank{0}), nullptr, nullptr, 0});
        group->attachDevice(std::make_unique<ClosingTransport>([&notes = m_notes, description] {
                                notes.closed.push_back(description.number);
                            }),
                            m_watchdog);
        return group;
    }

private:
    const Rank m_rank;
    const WorldSize m_size;
    RankGroups& m_notes;
    CollectiveWatchdog m_watchdog{1min, {[](const std::string& what) { QFAIL(what.c_str()); }, [] {}}};
};

/// Whether all ranks come to the end of their lists when each waits, at each group, for the other members.
bool meets(const std::vector<std::vector<std::uint32_t>>& lists,
           const std::map<std::uint32_t, std::vector<Rank>>& members)
{
    std::vector<std::size_t> at(lists.size(), 0);
    const auto isAt = [&](std::uint32_t group) {
        return [&, group](Rank rank) {
            const auto index = static_cast<std::size_t>(rank.value);
            return at[index] < lists[index].size() && lists[index][at[index]] == group;
        };
    };
    for (bool moved = true; moved;) {
        moved = false;
        for (const auto& [group, ranks] : members) {
            if (!std::ranges::all_of(ranks, isAt(group)))
                continue;
            for (const Rank rank : ranks)
                ++at[static_cast<std::size_t>(rank.value)];
            moved = true;
        }
    }
    for (std::size_t rank = 0; rank < lists.size(); ++rank) {
        if (at[rank] != lists[rank].size())
            return false;
    }
    return true;
}

} // namespace

/// The groups of a layout on a device, whose ranks wait for each other when they make one and when they close
/// it.
class TestStageLinks : public QObject {
    Q_OBJECT

private slots:
    void noRankWaitsForEver_data()
    {
        QTest::addColumn<int>("stages");
        QTest::addColumn<int>("replicas");
        for (const int stages : {1, 2, 3, 4, 5, 8}) {
            for (const int replicas : {1, 2})
                QTest::addRow("%d stages, %d replicas", stages, replicas) << stages << replicas;
        }
    }
    void noRankWaitsForEver()
    {
        QFETCH(int, stages);
        QFETCH(int, replicas);
        ParallelLayout layout;
        layout.pipeline = stages;
        layout.data = replicas;
        const WorldSize size{layout.worldSize()};
        const RankGrid grid = RankGrid::create(layout).value();
        std::vector<RankGroups> ranks(static_cast<std::size_t>(size.value));
        for (int rank = 0; rank < size.value; ++rank) {
            NotingMaker maker(Rank{rank}, size, ranks[static_cast<std::size_t>(rank)]);
            const auto world = maker.makeWorld();
            const ProcessGroups groups = makeProcessGroups(maker, *world, grid);
        }
        std::map<std::uint32_t, std::vector<Rank>> members;
        std::vector<std::vector<std::uint32_t>> made(ranks.size()), closed(ranks.size());
        for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
            for (const GroupDescription& group : ranks[rank].made) {
                members[group.number] = group.members;
                made[rank].push_back(group.number);
            }
            closed[rank] = ranks[rank].closed;
            QCOMPARE(closed[rank].size(), made[rank].size());
        }
        QVERIFY(meets(made, members));
        QVERIFY(meets(closed, members));
    }

    void onlyLinksAreForMessages()
    {
        ParallelLayout layout;
        layout.pipeline = 3;
        layout.context = 2;
        RankGroups notes;
        NotingMaker maker(Rank{0}, WorldSize{6}, notes);
        const auto world = maker.makeWorld();
        const ProcessGroups groups = makeProcessGroups(maker, *world, RankGrid::create(layout).value());
        const auto count = [&](DeviceTraffic traffic) {
            return std::ranges::count(notes.made, traffic, &GroupDescription::traffic);
        };
        QCOMPARE(count(DeviceTraffic::Messages), 4);
        QCOMPARE(count(DeviceTraffic::Ring), 1);
    }
};

QTEST_APPLESS_MAIN(TestStageLinks)
#include "tst_stage_links.moc"
