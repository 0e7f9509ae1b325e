#include "tests/auto/comm/collective_checks.h"

#include <chrono>
#include <future>
#include <thread>

#include <fmt/format.h>

#include "engine/base/units.h"
#include "engine/comm/group_maker.h"
#include "engine/comm/process_groups.h"

namespace trainyard {

namespace {

class Checks {
public:
    explicit Checks(ProcessGroup& group)
        : m_group(group), m_rank(group.rank().value), m_ranks(group.size().value)
    {
    }

    std::vector<std::string> run()
    {
        reduces<float>(1);
        reduces<double>(1000);
        reduces<float>((std::size_t{5} << 20) / 4 * 2 + 3); // more than one piece of a transport
        takesTheMaximum();
        keepsAsynchronousOrder();
        broadcastsFromAnyRank();
        gathersTextsOfAnyLength();
        gathersPartsEverywhere();
        scattersTheSum<float>(3);
        scattersTheSum<double>(100000);
        passesMessagesInOrder();
        passesBlocksRoundTheCircle();
        sendsEachRankItsPart();
        m_group.barrier();
        return m_broken;
    }

private:
    void require(bool condition, const char* promise)
    {
        if (!condition)
            m_broken.emplace_back(promise);
    }

    template <typename Number>
    void reduces(std::size_t count)
    {
        std::vector<Number> values(count);
        for (std::size_t i = 0; i < count; ++i)
            values[i] = static_cast<Number>(m_rank + 1) * static_cast<Number>(i % 1000);
        m_group.allReduce(std::span(values));
        bool exact = true;
        for (std::size_t i = 0; i < count; ++i)
            exact &=
                values[i] == static_cast<Number>(m_ranks * (m_ranks + 1) / 2) * static_cast<Number>(i % 1000);
        require(exact, "all-reduce adds over the ranks");
    }

    void takesTheMaximum()
    {
        std::vector<double> values{-double(m_rank), double(m_rank)};
        m_group.allReduce(std::span(values), ReduceOp::Max);
        require(values[0] == 0 && values[1] == m_ranks - 1, "all-reduce takes the maximum over the ranks");
    }

    void keepsAsynchronousOrder()
    {
        std::vector<std::vector<double>> buffers(8, std::vector<double>(100));
        std::vector<Work> works;
        for (std::size_t b = 0; b < buffers.size(); ++b) {
            buffers[b].assign(100, double(b));
            works.push_back(m_group.allReduceAsync(std::span(buffers[b])));
        }
        for (Work& work : works)
            work.wait();
        bool exact = true;
        for (std::size_t b = 0; b < buffers.size(); ++b)
            exact &= buffers[b] == std::vector<double>(100, double(b) * m_ranks);
        require(exact, "asynchronous all-reduces keep their order");
    }

    void gathersPartsEverywhere()
    {
        constexpr std::size_t part = 5;
        std::vector<std::uint8_t> all(part * std::size_t(m_ranks));
        for (std::size_t i = 0; i < part; ++i)
            all[std::size_t(m_rank) * part + i] = std::uint8_t(10 * m_rank + int(i));
        m_group.allGather(std::as_writable_bytes(std::span(all)));
        bool exact = true;
        for (std::size_t i = 0; i < all.size(); ++i)
            exact &= all[i] == 10 * (i / part) + i % part;
        require(exact, "all-gather brings every rank's part to every rank");
    }

    template <typename Number>
    void scattersTheSum(std::size_t part)
    {
        std::vector<Number> values(part * std::size_t(m_ranks));
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = Number(m_rank + 1) * Number(i % 97);
        m_group.reduceScatter(std::span(values));
        bool exact = true;
        for (std::size_t i = std::size_t(m_rank) * part; i < std::size_t(m_rank + 1) * part; ++i)
            exact &= values[i] == Number(m_ranks * (m_ranks + 1) / 2) * Number(i % 97);
        require(exact, "reduce-scatter leaves the sum of its part on every rank");
    }

    void passesMessagesInOrder()
    {
        if (m_ranks == 1)
            return;
        const Rank next{(m_rank + 1) % m_ranks};
        const Rank previous{(m_rank + m_ranks - 1) % m_ranks};
        for (int message = 0; message < 3; ++message) {
            const std::vector<int> sent(100000, 10 * m_rank + message);
            m_group.send(std::as_bytes(std::span(sent)), next);
        }
        for (int message = 0; message < 3; ++message) {
            std::vector<int> received(100000);
            m_group.receive(std::as_writable_bytes(std::span(received)), previous);
            require(received == std::vector<int>(100000, 10 * previous.value + message),
                    "messages arrive whole and in order, although every rank sends first");
        }
    }

    void passesBlocksRoundTheCircle()
    {
        if (m_ranks == 1)
            return;
        const int previous = (m_rank + m_ranks - 1) % m_ranks;
        const std::vector<int> out(std::size_t(100000 + m_rank), m_rank);
        std::vector<int> in(std::size_t(100000 + previous));
        m_group.shiftAsync(std::as_bytes(std::span(out)), std::as_writable_bytes(std::span(in))).wait();
        require(in == std::vector<int>(in.size(), previous),
                "a block of any size comes from the rank before");
    }

    /// Rank a sends rank b so many numbers: nothing to some, more than a message of a transport to others.
    static std::size_t partOf(int a, int b) { return (a + b) % 3 == 0 ? 0 : std::size_t(700000 * b + a + 1); }

    void sendsEachRankItsPart()
    {
        std::vector<int> out, in;
        BytesByRank outSizes, inSizes;
        for (int other = 0; other < m_ranks; ++other) {
            out.resize(out.size() + partOf(m_rank, other), 100 * m_rank + other);
            in.resize(in.size() + partOf(other, m_rank));
            outSizes.push_back(partOf(m_rank, other) * sizeof(int));
            inSizes.push_back(partOf(other, m_rank) * sizeof(int));
        }
        m_group.allToAll(std::as_bytes(std::span(out)), outSizes, std::as_writable_bytes(std::span(in)),
                         inSizes);
        std::vector<int> expected;
        for (int other = 0; other < m_ranks; ++other)
            expected.resize(expected.size() + partOf(other, m_rank), 100 * other + m_rank);
        require(in == expected, "an all-to-all brings every rank's part for this one, in order of rank");
    }

    void broadcastsFromAnyRank()
    {
        for (int root = 0; root < m_ranks; ++root) {
            const std::string text = m_rank == root ? "from " + std::to_string(root) : std::string();
            require(m_group.broadcastText(text, Rank{root}) == "from " + std::to_string(root),
                    "broadcast copies the root's text");
        }
    }

    void gathersTextsOfAnyLength()
    {
        const auto gathered = m_group.gather(std::string(static_cast<std::size_t>(m_rank), 'x'));
        if (m_rank != 0) {
            require(gathered.empty(), "gather gives nothing to other ranks");
            return;
        }
        bool exact = static_cast<int>(gathered.size()) == m_ranks;
        for (std::size_t r = 0; exact && r < gathered.size(); ++r)
            exact = gathered[r] == std::string(r, 'x');
        require(exact, "gather gives rank 0 every rank's text");
    }

    ProcessGroup& m_group;
    int m_rank;
    int m_ranks;
    std::vector<std::string> m_broken;
};

/// Every way to share `ranks` ranks among the axes, in two placements.
std::vector<ParallelLayout> layoutsOf(int ranks)
{
    std::vector<ParallelLayout> layouts;
    for (int data = 1; data <= ranks; ++data) {
        for (int tensor = 1; data * tensor <= ranks; ++tensor) {
            for (int context = 1; data * tensor * context <= ranks; ++context) {
                const int others = data * tensor * context;
                for (const char* placement : {"DPT", "TPD"}) {
                    if (ranks % others == 0)
                        layouts.push_back({.data = data,
                                           .tensor = tensor,
                                           .pipeline = ranks / others,
                                           .context = context,
                                           .placement = placement});
                }
            }
        }
    }
    return layouts;
}

} // namespace

std::vector<std::string> checkCollectives(ProcessGroup& group)
{
    return Checks(group).run();
}

std::vector<std::string> checkProcessGroups(GroupMaker& maker)
{
    std::vector<std::string> broken;
    for (const ParallelLayout& layout : layoutsOf(maker.worldSize().value)) {
        const RankGrid grid = RankGrid::create(layout).value();
        const auto world = maker.makeWorld();
        ProcessGroups groups = makeProcessGroups(maker, *world, grid);
        world->barrier(); // the next layout's groups have the same numbers, and nobody may still look for
                          // these
        const auto require = [&](bool condition, const char* promise) {
            if (!condition)
                broken.push_back(fmt::format("{} with {} x {} x {} x {}, {}", promise, layout.data,
                                             layout.context, layout.tensor, layout.pipeline,
                                             layout.placement));
        };
        const auto sumOfRanks = [&](ProcessGroup& group) {
            std::vector<double> sum{double(maker.rank().value)};
            group.allReduce(std::span(sum));
            return sum.front();
        };
        const auto expected = [&](const std::vector<Axis>& axes) {
            double sum = 0;
            for (const Rank rank : grid.group(maker.rank(), axes))
                sum += rank.value;
            return sum;
        };
        require(sumOfRanks(*groups.data) == expected({Axis::Data, Axis::Context}), "data group");
        require(sumOfRanks(*groups.context) == expected({Axis::Context}), "context group");
        require(sumOfRanks(*groups.tensor) == expected({Axis::Tensor}), "tensor group");
        require(sumOfRanks(*groups.pipeline) == expected({Axis::Pipeline}), "pipeline group");
        require(groups.data->rank().value ==
                    groups.coordinates.data * layout.context + groups.coordinates.context,
                "rank in the data group");
        require(groups.context->rank().value == groups.coordinates.context, "rank in the context group");
        require(groups.tensor->rank().value == groups.coordinates.tensor, "rank in the tensor group");
        if (layout.pipeline == 1)
            continue;
        const std::vector<Rank> stages = grid.group(maker.rank(), Axis::Pipeline);
        const int last = layout.pipeline - 1;
        const int stage = groups.coordinates.pipeline;
        if (groups.embeddings)
            require(sumOfRanks(*groups.embeddings) == stages.front().value + stages.back().value,
                    "embedding group");
        require((groups.embeddings != nullptr) == (stage == 0 || stage == last),
                "members of the embedding group");
        int value = maker.rank().value;
        groups.links.activationsOut->send(std::as_bytes(std::span(&value, 1)));
        groups.links.gradientsOut->send(std::as_bytes(std::span(&value, 1)));
        groups.links.activationsIn->receive(std::as_writable_bytes(std::span(&value, 1)));
        require(value == stages[std::size_t(stage == 0 ? last : stage - 1)].value, "activations link");
        groups.links.gradientsIn->receive(std::as_writable_bytes(std::span(&value, 1)));
        require(value == stages[std::size_t(stage == last ? 0 : stage + 1)].value, "gradients link");
    }
    return broken;
}

std::vector<std::string> checkMessageLinks(GroupMaker& maker)
{
    constexpr int kBlocks = 5;
    const int ranks = maker.worldSize().value;
    const int me = maker.rank().value;
    if (ranks == 1)
        return {};
    std::vector<Rank> all;
    for (int rank = 0; rank < ranks; ++rank)
        all.push_back(Rank{rank});
    const auto world = maker.makeWorld();
    const MessageLinks links = makeMessageLinks(maker, all);
    const Rank next{(me + 1) % ranks};
    const Rank previous{(me + ranks - 1) % ranks};

    std::vector<std::string> broken;
    std::vector<std::string> brokenMeanwhile;
    std::vector<double> block(kMiB / sizeof(double));
    std::byte receipt{};
    if (links.receipts->tryReceive(std::span(&receipt, 1), next))
        broken.push_back("no message before one is sent");
    auto exchange = std::async(std::launch::async, [&] {
        const auto waitFor = [](ProcessGroup& group, std::span<std::byte> bytes, Rank from) {
            while (!group.tryReceive(bytes, from))
                std::this_thread::sleep_for(std::chrono::microseconds(200));
        };
        for (int number = 0; number < kBlocks; ++number) {
            block.assign(block.size(), 100 * me + number);
            links.blocks->send(std::as_bytes(std::span(block)), next);
            waitFor(*links.blocks, std::as_writable_bytes(std::span(block)), previous);
            if (block.front() != 100 * previous.value + number || block.back() != block.front())
                broken.push_back("blocks in their order");
            links.receipts->send(std::span(&receipt, 1), previous);
            waitFor(*links.receipts, std::span(&receipt, 1), next);
        }
    });
    for (int step = 0; step < 100; ++step) {
        std::vector<double> sum{1};
        world->allReduce(std::span(sum));
        if (sum.front() != ranks)
            brokenMeanwhile.push_back("collectives meanwhile");
    }
    exchange.get();
    world->barrier();
    broken.insert(broken.end(), brokenMeanwhile.begin(), brokenMeanwhile.end());
    return broken;
}

} // namespace trainyard
