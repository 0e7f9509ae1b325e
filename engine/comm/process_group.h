#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "engine/base/ids.h"
#include "engine/comm/float_span.h"
#include "engine/comm/transport.h"
#include "engine/comm/work.h"
#include "engine/records/flight_ring.h"

namespace trainyard {

class CollectiveWatchdog;
class CommunicationThread;
class DeviceTransport;
class FlightRecorder;

/// Ranks that do collectives together. Every rank calls the same collectives in the same order, from its one
/// training thread; each call is written to the flight ring when the rank reaches it and when it is finished.
/// Calls throw CommunicationError when a peer is gone.
///
/// Device memory goes through the device transport, if there is one: the collective is queued at once behind
/// this thread's earlier device work, and "wait" orders this thread's later device work after it. The host
/// does not wait; the watchdog handles collectives that do not end.
class ProcessGroup {
public:
    struct Parts {
        std::unique_ptr<Transport> transport;
        std::shared_ptr<CommunicationThread> thread; ///< null: collectives run where they are called
        FlightRecorder* recorder = nullptr;          ///< outlives the group; null: nothing is recorded
        std::uint32_t number = 0;                    ///< in the flight ring; 0 = all ranks
    };

    explicit ProcessGroup(Parts parts);
    ~ProcessGroup();
    ProcessGroup(const ProcessGroup&) = delete;
    ProcessGroup& operator=(const ProcessGroup&) = delete;

    /// From now on. The watchdog outlives the group.
    void attachDevice(std::unique_ptr<DeviceTransport> transport, CollectiveWatchdog& watchdog);

    Rank rank() const; ///< in this group, 0-based
    WorldSize size() const;
    bool isFirst() const { return rank().value == 0; }

    /// Replaces `values` on every rank by their sum or maximum over the ranks, bit-equal on all of them.
    void allReduce(FloatSpan values, ReduceOp op = ReduceOp::Sum);
    /// The same, asynchronously: `values` must stay alive and untouched until the Work was waited for.
    Work allReduceAsync(FloatSpan values, ReduceOp op = ReduceOp::Sum);

    /// Overwrites `bytes` on every rank by those of `root`. Sizes must be equal.
    void broadcast(std::span<std::byte> bytes, Rank root = Rank{0});
    /// The value of `root`, without pointers in it.
    template <typename Value>
    Value broadcastValue(Value value, Rank root = Rank{0})
    {
        static_assert(std::is_trivially_copyable_v<Value>);
        broadcast(std::as_writable_bytes(std::span(&value, 1)), root);
        return value;
    }
    /// Text of any length from `root` to every rank.
    std::string broadcastText(std::string text, Rank root = Rank{0});

    /// Returns the bytes of every rank on rank 0, in order of rank; empty elsewhere.
    std::vector<std::string> gather(std::string_view bytes);

    void barrier();

    /// `all` holds size() equal parts; on return part r is what rank r had there, on every rank.
    void allGather(std::span<std::byte> all) { allGatherAsync(all).wait(); }
    Work allGatherAsync(std::span<std::byte> all);
    /// `values` holds size() equal parts; on return part rank() is the sum over the ranks and the rest is
    /// unspecified.
    void reduceScatter(FloatSpan values) { reduceScatterAsync(values).wait(); }
    Work reduceScatterAsync(FloatSpan values);

    /// Messages from one rank to another one, in order; groups of two ranks in one direction each keep the
    /// flight ring's sequence numbers equal on both sides. send() copies `bytes` and returns.
    void send(std::span<const std::byte> bytes, Rank to);
    void receive(std::span<std::byte> bytes, Rank from);
    /// Takes the next message of `from` if it has arrived; returns false otherwise. Only in a group that is
    /// not of training: what arrives when is not the same on all ranks, as a flight ring has it.
    bool tryReceive(std::span<std::byte> bytes, Rank from);
    /// All ranks in a circle: `out` goes to the next one, `in` comes from the one before. What a rank sends
    /// has the size that the next one expects. Both must stay alive, `out` untouched, until the Work was
    /// waited for.
    Work shiftAsync(std::span<const std::byte> out, std::span<std::byte> in);
    /// Every rank to every rank: its part of `out` goes to each, and `in` gets the parts for this rank, as
    /// Transport::allToAll() has it. Both lie where `in` does, on the host or on the device, though it may be
    /// empty there.
    void allToAll(std::span<const std::byte> out, const BytesByRank& outSizes, std::span<std::byte> in,
                  const BytesByRank& inSizes);

private:
    bool onDevice(const void* memory) const;
    template <typename Collective>
    Work start(CollectiveKind kind, std::size_t bytes, Collective collective);
    template <typename Collective>
    Work startOnDevice(CollectiveKind kind, std::size_t bytes, Collective collective);
    /// Calls `collective` with the transport, of the device or the host, that reaches `memory`.
    template <typename Collective>
    Work startWhere(const void* memory, CollectiveKind kind, std::size_t bytes, Collective collective);

    Parts m_parts;
    std::unique_ptr<DeviceTransport> m_device; // null: all memory is the host's
    CollectiveWatchdog* m_watchdog = nullptr;
    std::uint64_t m_sequence = 0;
};

} // namespace trainyard
