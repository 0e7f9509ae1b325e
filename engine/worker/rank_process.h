#pragma once

#include <memory>

#include "engine/comm/mpi_process.h"
#include "engine/comm/process_group.h"

namespace trainyard {

/// This process as one rank: of an MPI job when a launcher started it, otherwise the only one, without MPI.
class RankProcess final : public GroupMaker {
public:
    static Result<std::unique_ptr<RankProcess>> start();

    Rank rank() const override { return m_mpi ? m_mpi->rank() : Rank{0}; }
    WorldSize worldSize() const override { return m_mpi ? m_mpi->worldSize() : WorldSize{1}; }
    std::unique_ptr<ProcessGroup> make(const GroupDescription& description) override;
    /// Groups made from now on write to this ring; it outlives them.
    void setRecorder(FlightRecorder* recorder);
    /// As MpiProcess::setThreads().
    void setThreads(int threadsPerRank);

private:
    std::unique_ptr<MpiProcess> m_mpi; // null: alone
    FlightRecorder* m_recorder = nullptr;
};

} // namespace trainyard
