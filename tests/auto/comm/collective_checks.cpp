#include "tests/auto/comm/collective_checks.h"

#include "engine/comm/process_group.h"

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

} // namespace

std::vector<std::string> checkCollectives(ProcessGroup& group)
{
    return Checks(group).run();
}

} // namespace trainyard
