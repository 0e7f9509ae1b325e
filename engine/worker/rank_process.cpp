#include "engine/worker/rank_process.h"

#include "engine/comm/local_transport.h"
#include "engine/memory/accounting_allocator.h"

namespace trainyard {

Result<std::unique_ptr<RankProcess>> RankProcess::start()
{
    auto process = std::make_unique<RankProcess>();
    if (MpiProcess::isLaunched()) {
        TRAINYARD_TRY(process->m_mpi, MpiProcess::start());
        if (process->m_mpi->worldSize().value > 1)
            process->m_mpi->setArena(AccountingAllocator::install().shareFlatBuffers());
    }
    return process;
}

void RankProcess::setRecorder(FlightRecorder* recorder)
{
    m_recorder = recorder;
    if (m_mpi)
        m_mpi->setRecorder(recorder);
}

void RankProcess::setThreads(int threadsPerRank)
{
    if (m_mpi)
        m_mpi->setThreads(threadsPerRank);
}

std::unique_ptr<ProcessGroup> RankProcess::make(const GroupDescription& description)
{
    if (m_mpi)
        return m_mpi->make(description);
    return std::make_unique<ProcessGroup>(
        ProcessGroup::Parts{std::make_unique<LocalTransport>(), nullptr, m_recorder, description.number});
}

} // namespace trainyard
