#include "engine/comm/threads_transport.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <thread>

#include "engine/comm/communication_thread.h"
#include "engine/comm/process_group.h"

namespace trainyard {

namespace {

template <typename Number>
void reduceInto(Number* sum, const Number* values, std::size_t count, ReduceOp op)
{
    for (std::size_t i = 0; i < count; ++i)
        sum[i] = op == ReduceOp::Sum ? sum[i] + values[i] : std::max(sum[i], values[i]);
}

void reduceAll(const std::vector<void*>& offers, ReduceOp op)
{
    const FloatSpan& first = *static_cast<FloatSpan*>(offers.front());
    for (std::size_t r = 1; r < offers.size(); ++r) {
        const FloatSpan& other = *static_cast<FloatSpan*>(offers[r]);
        TRAINYARD_CHECK(other.count == first.count && other.type == first.type);
        if (first.type == FloatType::Float64)
            reduceInto(first.doubles().data(), other.doubles().data(), first.count, op);
        else
            reduceInto(first.floats().data(), other.floats().data(), first.count, op);
    }
    for (std::size_t r = 1; r < offers.size(); ++r)
        std::memcpy(static_cast<FloatSpan*>(offers[r])->data, first.data, first.bytes());
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
        throw CommunicationError("another rank gave up");
}

void ThreadsMeeting::meet(int rank, void* offer,
                          const std::function<void(const std::vector<void*>&)>& combine)
{
    std::unique_lock lock(m_mutex);
    m_offers[static_cast<std::size_t>(rank)] = offer;
    arriveAndWait(lock);
    if (rank == 0)
        combine(m_offers);
    arriveAndWait(lock);
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
    m_meeting->meet(m_rank.value, &values, [op](const std::vector<void*>& offers) { reduceAll(offers, op); });
}

void ThreadsTransport::broadcast(std::span<std::byte> bytes, Rank root)
{
    m_meeting->meet(m_rank.value, &bytes, [root](const std::vector<void*>& offers) {
        const auto& source =
            *static_cast<std::span<std::byte>*>(offers[static_cast<std::size_t>(root.value)]);
        for (void* offer : offers) {
            const auto& target = *static_cast<std::span<std::byte>*>(offer);
            TRAINYARD_CHECK(target.size() == source.size());
            if (target.data() != source.data())
                std::memcpy(target.data(), source.data(), source.size());
        }
    });
}

std::vector<std::string> ThreadsTransport::gather(std::string_view bytes)
{
    std::vector<std::string> gathered;
    m_meeting->meet(m_rank.value, &bytes, [&gathered](const std::vector<void*>& offers) {
        for (void* offer : offers)
            gathered.emplace_back(*static_cast<std::string_view*>(offer));
    });
    return gathered;
}

void ThreadsTransport::barrier()
{
    m_meeting->meet(m_rank.value, nullptr, [](const std::vector<void*>&) {});
}

void runAsThreads(int ranks, const std::function<void(ProcessGroup&)>& body)
{
    auto meeting = std::make_shared<ThreadsMeeting>(ranks);
    std::mutex mutex;
    std::exception_ptr first;
    const auto runRank = [&](int rank) {
        ProcessGroup group({std::make_unique<ThreadsTransport>(meeting, Rank{rank}),
                            std::make_shared<CommunicationThread>(), nullptr, 0});
        try {
            body(group);
        } catch (const CommunicationError&) {
            meeting->breakUp();
        } catch (...) {
            const std::lock_guard lock(mutex);
            if (!first)
                first = std::current_exception();
            meeting->breakUp();
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

} // namespace trainyard
