#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/comm/group_maker.h"
#include "engine/comm/transport.h"

namespace trainyard {

/// Where the ranks of one group in one process meet; each rank is a thread. For tests: small, exact and in a
/// fixed order (sums run over the ranks in ascending order).
class ThreadsMeeting {
public:
    explicit ThreadsMeeting(int ranks);

    int ranks() const { return static_cast<int>(m_offers.size()); }
    /// Every rank makes an offer of the same type; when all have, rank 0 calls `combine` with the offers, by
    /// rank, while the others wait.
    template <typename Offer, typename Combine>
    void meet(int rank, const Offer& offer, const Combine& combine)
    {
        std::unique_lock lock(m_mutex);
        m_offers[static_cast<std::size_t>(rank)] = &offer;
        arriveAndWait(lock);
        if (rank == 0) {
            std::vector<Offer> offers;
            for (const void* of : m_offers)
                offers.push_back(*static_cast<const Offer*>(of));
            combine(offers);
        }
        arriveAndWait(lock); // until then the offers, on the stacks of their ranks, must stay
    }
    void send(int from, int to, std::string message);
    std::string receive(int from, int to);
    /// nullopt when there is no message.
    std::optional<std::string> tryReceive(int from, int to);
    /// Aborts the group: current and later calls of the other ranks throw CommunicationError.
    void breakUp();

private:
    void arriveAndWait(std::unique_lock<std::mutex>& lock);

    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::vector<const void*> m_offers;                                 // by rank
    std::map<std::pair<int, int>, std::deque<std::string>> m_messages; // by sender and receiver
    int m_arrived = 0;
    std::uint64_t m_round = 0;
    bool m_broken = false;
};

class ThreadsTransport final : public Transport {
public:
    ThreadsTransport(std::shared_ptr<ThreadsMeeting> meeting, Rank rank);

    Rank rank() const override { return m_rank; }
    WorldSize size() const override { return WorldSize{m_meeting->ranks()}; }
    void allReduce(FloatSpan values, ReduceOp op) override;
    void broadcast(std::span<std::byte> bytes, Rank root) override;
    std::vector<std::string> gather(std::string_view bytes) override;
    void barrier() override;
    void allGather(std::span<std::byte> all) override;
    void reduceScatter(FloatSpan values) override;
    void send(std::span<const std::byte> bytes, Rank to) override;
    void receive(std::span<std::byte> bytes, Rank from) override;
    bool tryReceive(std::span<std::byte> bytes, Rank from) override;

private:
    std::shared_ptr<ThreadsMeeting> m_meeting;
    Rank m_rank;
};

/// Puts something around a group's transport: a test's delays, a fault.
using TransportDecorator = std::function<std::unique_ptr<Transport>(std::unique_ptr<Transport>)>;

/// Runs `body` once per rank, each on a thread with a maker of groups over these ranks, and returns when all
/// are done. A rank whose body throws breaks every group, so that no other rank waits forever; the first
/// exception that is not the consequence of a broken group is thrown again.
void runRanksAsThreads(int ranks, const std::function<void(GroupMaker&)>& body,
                       const TransportDecorator& decorate = {});

/// The same with the group over all ranks.
void runAsThreads(int ranks, const std::function<void(ProcessGroup&)>& body);

} // namespace trainyard
