#include "engine/worker/rank_process.h"

#include "engine/comm/local_transport.h"

namespace trainyard {

Result<RankProcess> RankProcess::start()
{
    RankProcess process;
    if (MpiProcess::isLaunched()) {
        TRAINYARD_TRY(process.m_mpi, MpiProcess::start());
    }
    return process;
}

std::unique_ptr<ProcessGroup> RankProcess::makeWorldGroup(FlightRecorder* recorder)
{
    if (m_mpi)
        return m_mpi->makeWorldGroup(recorder);
    return std::make_unique<ProcessGroup>(
        ProcessGroup::Parts{std::make_unique<LocalTransport>(), nullptr, recorder, 0});
}

} // namespace trainyard
