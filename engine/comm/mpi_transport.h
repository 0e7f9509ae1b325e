#pragma once

#include <list>

#include <mpi.h>

#include "engine/comm/transport.h"

namespace trainyard {

/// The ranks of one MPI communicator. Made, called and destroyed on the communication thread only. A dead
/// peer ends the whole job through the launcher, so no call returns an error.
class MpiTransport final : public Transport {
public:
    /// Frees the communicator at the end unless it is MPI_COMM_WORLD.
    explicit MpiTransport(MPI_Comm communicator);
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

private:
    /// A message that may not have left yet.
    struct Outgoing {
        std::vector<std::byte> bytes;
        MPI_Request request = MPI_REQUEST_NULL;
    };
    void dropSent();

    MPI_Comm m_communicator;
    Rank m_rank;
    WorldSize m_size;
    std::list<Outgoing> m_outgoing; // MPI reads their bytes where they lie
    std::vector<std::byte> m_scratch;
};

} // namespace trainyard
