#pragma once

#include <memory>

#include <mpi.h>

#include "engine/comm/transport.h"

namespace trainyard {

class MpiOutbox;
class SharedArena;
class SharedCollectives;
class SharedSegments;

/// How a transport uses MPI. All ranks of the group have the same.
struct MpiLimits {
    /// In one call, over all ranks: MPI counts in int. More goes in pieces.
    std::size_t callBytes = std::size_t{1} << 28;
    bool sharesMemory = true; ///< where all ranks are on one host
};

/// The ranks of one MPI communicator. Made, called and destroyed on the communication thread only. A dead
/// peer ends the whole job through the launcher, so no call returns an error.
///
/// Where all ranks are on one host, reductions and all-gathers go through memory that they share
/// (SharedCollectives), set up when the first one is called; everything else goes through MPI.
class MpiTransport final : public Transport {
public:
    /// Frees the communicator at the end unless it is MPI_COMM_WORLD. All transports of a process have the
    /// same outbox. `arena` may be null; it outlives the transport.
    MpiTransport(MPI_Comm communicator, std::shared_ptr<MpiOutbox> outbox, const SharedArena* arena = nullptr,
                 MpiLimits limits = {});
    ~MpiTransport() override;
    MpiTransport(const MpiTransport&) = delete;
    MpiTransport& operator=(const MpiTransport&) = delete;

    Rank rank() const override { return m_rank; }
    WorldSize size() const override { return m_size; }
    void allReduce(FloatSpan values, ReduceOp op) override;
    void broadcast(std::span<std::byte> bytes, Rank root) override;
    std::vector<std::string> gather(std::string_view bytes) override;
    void barrier() override;
    void allGather(std::span<std::byte> all) override;
    void reduceScatter(FloatSpan values) override;
    void send(std::span<const std::byte> bytes, Rank to) override;
    void receive(std::span<std::byte> bytes, Rank from) override;
    bool tryReceive(std::span<std::byte> bytes, Rank from) override;
    void shift(std::span<const std::byte> out, std::span<std::byte> in) override;
    void allToAll(std::span<const std::byte> out, const BytesByRank& outSizes, std::span<std::byte> in,
                  const BytesByRank& inSizes) override;

private:
    /// Null where the ranks are on several hosts. All ranks of the group call it at the same point.
    SharedCollectives* shared();
    void allReducePiece(FloatSpan values, ReduceOp op);
    std::size_t callBytesPerRank() const;
    /// Of what this rank gathers, to rank 0, behind the beginnings of all.
    void sendRest(std::string_view rest);
    void receiveRest(std::span<char> rest, Rank from);
    /// `count` numbers for each rank, `largest` of them at a time.
    void reduceScatterInPieces(FloatSpan values, std::size_t count, std::size_t largest);
    /// Straight from memory to memory, where send() would copy.
    void exchange(std::span<const std::byte> out, int to, std::span<std::byte> in, int from);

    const MpiLimits m_limits;
    MPI_Comm m_communicator;
    Rank m_rank;
    WorldSize m_size;
    std::shared_ptr<MpiOutbox> m_outbox;
    const SharedArena* const m_arena;
    bool m_hasTriedToShare = false;
    std::unique_ptr<SharedSegments> m_segments;
    std::unique_ptr<SharedSegments> m_arenas;
    std::unique_ptr<SharedCollectives> m_shared;
    std::vector<std::byte> m_scratch;
};

} // namespace trainyard
