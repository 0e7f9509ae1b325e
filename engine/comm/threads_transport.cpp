#include "engine/comm/threads_transport.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <thread>

#include "engine/comm/communication_thread.h"
#include "engine/comm/process_group.h"
#include "engine/comm/reduction.h"

namespace trainyard {

namespace {

void reduceAll(const std::vector<FloatSpan>& offers, ReduceOp op)
{
    const FloatSpan& first = offers.front();
    std::vector<void*> values;
    for (const FloatSpan& span : offers) {
        TRAINYARD_CHECK(span.count == first.count && span.type == first.type);
        values.push_back(span.data);
    }
    if (values.size() > 1)
        reduceParts({values.data(), values.size()}, first.count, first.type, op, values);
}

} // namespace

ThreadsMeeting::ThreadsMeeting(int ranks) : m_offers(static_cast<std::size_t>(ranks)) {}

void ThreadsMeeting::arriveAndWait(std::unique_lock<std::mutex>& lock)
{
    const std::uint64_t round = m_round;
    if (++m_arrived == ranks()) {
        m_arrived = 0;
        ++m_round;
        m_changed.notify_all();
    }
    m_changed.wait(lock, [&] { return m_broken || m_round != round; });
    if (m_round == round)
        throw CommunicationError("another rank aborted");
}

void ThreadsMeeting::send(int from, int to, std::string message)
{
    const std::lock_guard lock(m_mutex);
    m_messages[{from, to}].push_back(std::move(message));
    m_changed.notify_all();
}

std::string ThreadsMeeting::receive(int from, int to)
{
    std::unique_lock lock(m_mutex);
    auto& messages = m_messages[{from, to}];
    m_changed.wait(lock, [&] { return m_broken || !messages.empty(); });
    if (messages.empty())
        throw CommunicationError("another rank aborted");
    std::string message = std::move(messages.front());
    messages.pop_front();
    return message;
}

std::optional<std::string> ThreadsMeeting::tryReceive(int from, int to)
{
    const std::lock_guard lock(m_mutex);
    auto& messages = m_messages[{from, to}];
    if (messages.empty() && m_broken)
        throw CommunicationError("another rank aborted");
    if (messages.empty())
        return std::nullopt;
    std::string message = std::move(messages.front());
    messages.pop_front();
    return message;
}

void ThreadsMeeting::breakUp()
{
    const std::lock_guard lock(m_mutex);
    m_broken = true;
    m_changed.notify_all();
}

ThreadsTransport::ThreadsTransport(std::shared_ptr<ThreadsMeeting> meeting, Rank rank)
    : m_meeting(std::move(meeting)), m_rank(rank)
{
}

void ThreadsTransport::allReduce(FloatSpan values, ReduceOp op)
{
    m_meeting->meet(m_rank.value, values,
                    [op](const std::vector<FloatSpan>& offers) { reduceAll(offers, op); });
}

void ThreadsTransport::broadcast(std::span<std::byte> bytes, Rank root)
{
    m_meeting->meet(m_rank.value, bytes, [root](const std::vector<std::span<std::byte>>& offers) {
        const auto source = offers[static_cast<std::size_t>(root.value)];
        for (const auto target : offers) {
            TRAINYARD_CHECK(target.size() == source.size());
            if (target.data() != source.data())
                std::memcpy(target.data(), source.data(), source.size());
        }
    });
}

std::vector<std::string> ThreadsTransport::gather(std::string_view bytes)
{
    std::vector<std::string> gathered;
    m_meeting->meet(m_rank.value, bytes, [&gathered](const std::vector<std::string_view>& offers) {
        gathered.assign(offers.begin(), offers.end());
    });
    return gathered;
}

void ThreadsTransport::barrier()
{
    m_meeting->meet(m_rank.value, 0, [](const std::vector<int>&) {});
}

void ThreadsTransport::allGather(std::span<std::byte> all)
{
    m_meeting->meet(m_rank.value, all, [](const std::vector<std::span<std::byte>>& offers) {
        const std::size_t part = offers.front().size() / offers.size();
        for (std::size_t r = 0; r < offers.size(); ++r) {
            const auto source = offers[r].subspan(r * part, part);
            for (std::size_t other = 0; other < offers.size(); ++other) {
                if (other != r)
                    std::memcpy(offers[other].data() + r * part, source.data(), part);
            }
        }
    });
}

void ThreadsTransport::reduceScatter(FloatSpan values)
{
    TRAINYARD_CHECK(values.count % static_cast<std::size_t>(size().value) == 0);
    allReduce(values, ReduceOp::Sum);
}

void ThreadsTransport::send(std::span<const std::byte> bytes, Rank to)
{
    m_meeting->send(m_rank.value, to.value, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

void ThreadsTransport::receive(std::span<std::byte> bytes, Rank from)
{
    const std::string message = m_meeting->receive(from.value, m_rank.value);
    TRAINYARD_CHECK(message.size() == bytes.size());
    std::memcpy(bytes.data(), message.data(), message.size());
}

bool ThreadsTransport::tryReceive(std::span<std::byte> bytes, Rank from)
{
    const auto message = m_meeting->tryReceive(from.value, m_rank.value);
    if (!message)
        return false;
    TRAINYARD_CHECK(message->size() == bytes.size());
    std::memcpy(bytes.data(), message->data(), message->size());
    return true;
}

namespace {

/// The groups of one set of threads, by number.
class ThreadsWorld {
public:
    explicit ThreadsWorld(int ranks) : m_ranks(ranks) {}

    int ranks() const { return m_ranks; }
    std::shared_ptr<ThreadsMeeting> meeting(std::uint32_t number, int members)
    {
        const std::lock_guard lock(m_mutex);
        auto& meeting = m_meetings[number];
        if (!meeting || meeting->ranks() != members)
            meeting = std::make_shared<ThreadsMeeting>(members);
        if (m_broken)
            meeting->breakUp();
        return meeting;
    }
    void breakUp()
    {
        const std::lock_guard lock(m_mutex);
        m_broken = true;
        for (auto& [number, meeting] : m_meetings)
            meeting->breakUp();
    }

private:
    const int m_ranks;
    std::mutex m_mutex;
    std::map<std::uint32_t, std::shared_ptr<ThreadsMeeting>> m_meetings;
    bool m_broken = false;
};

class ThreadsGroupMaker final : public GroupMaker {
public:
    ThreadsGroupMaker(ThreadsWorld& world, Rank rank, const TransportDecorator& decorate)
        : m_world(world), m_rank(rank), m_decorate(decorate)
    {
    }

    Rank rank() const override { return m_rank; }
    WorldSize worldSize() const override { return WorldSize{m_world.ranks()}; }
    std::unique_ptr<ProcessGroup> make(const GroupDescription& description) override
    {
        const auto& members = description.members;
        const auto place = std::find(members.begin(), members.end(), m_rank) - members.begin();
        std::unique_ptr<Transport> transport = std::make_unique<ThreadsTransport>(
            m_world.meeting(description.number, static_cast<int>(members.size())),
            Rank{static_cast<int>(place)});
        if (m_decorate)
            transport = m_decorate(std::move(transport));
        return std::make_unique<ProcessGroup>(
            ProcessGroup::Parts{std::move(transport), m_thread, nullptr, description.number});
    }

private:
    ThreadsWorld& m_world;
    const Rank m_rank;
    const TransportDecorator& m_decorate;
    const std::shared_ptr<CommunicationThread> m_thread = std::make_shared<CommunicationThread>();
};

} // namespace

void runRanksAsThreads(int ranks, const std::function<void(GroupMaker&)>& body,
                       const TransportDecorator& decorate)
{
    ThreadsWorld world(ranks);
    std::mutex mutex;
    std::exception_ptr first;
    const auto runRank = [&](int rank) {
        ThreadsGroupMaker maker(world, Rank{rank}, decorate);
        try {
            body(maker);
        } catch (const CommunicationError&) {
            world.breakUp();
        } catch (...) {
            const std::lock_guard lock(mutex);
            if (!first)
                first = std::current_exception();
            world.breakUp();
        }
    };
    std::vector<std::thread> threads;
    for (int rank = 0; rank < ranks; ++rank)
        threads.emplace_back(runRank, rank);
    for (std::thread& thread : threads)
        thread.join();
    if (first)
        std::rethrow_exception(first);
}

void runAsThreads(int ranks, const std::function<void(ProcessGroup&)>& body)
{
    runRanksAsThreads(ranks, [&](GroupMaker& maker) { body(*maker.makeWorld()); });
}

} // namespace trainyard
