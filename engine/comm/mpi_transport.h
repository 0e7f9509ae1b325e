#pragma once

#include "engine/comm/transport.h"

namespace trainyard {

/// All ranks of MPI_COMM_WORLD. Made by MpiProcess and called only on its communication thread. A dead peer
/// ends the whole job through the launcher, so no call returns an error.
class MpiTransport final : public Transport {
public:
    MpiTransport(Rank rank, WorldSize size) : m_rank(rank), m_size(size) {}

    Rank rank() const override { return m_rank; }
    WorldSize size() const override { return m_size; }
    void allReduce(FloatSpan values, ReduceOp op) override;
    void broadcast(std::span<std::byte> bytes, Rank root) override;
    std::vector<std::string> gather(std::string_view bytes) override;
    void barrier() override;

private:
    Rank m_rank;
    WorldSize m_size;
};

} // namespace trainyard
