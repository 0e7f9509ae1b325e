#pragma once

#include <memory>

#include "engine/comm/mpi_process.h"
#include "engine/comm/process_group.h"

namespace trainyard {

/// This process as one rank: of an MPI job when a launcher started it, otherwise the only one, without MPI.
class RankProcess {
public:
    static Result<RankProcess> start();

    Rank rank() const { return m_mpi ? m_mpi->rank() : Rank{0}; }
    WorldSize size() const { return m_mpi ? m_mpi->size() : WorldSize{1}; }
    std::unique_ptr<ProcessGroup> makeWorldGroup(FlightRecorder* recorder);

private:
    std::unique_ptr<MpiProcess> m_mpi; // null: alone
};

} // namespace trainyard
