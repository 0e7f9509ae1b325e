#include "engine/training/run_requests.h"

namespace trainyard {

RunRequests::RunRequests(RunDirectory directory, bool looksAtFiles, const StopFlag* stopFlag)
    : m_directory(std::move(directory)), m_looksAtFiles(looksAtFiles), m_stopFlag(stopFlag)
{
}

Requests RunRequests::poll() const
{
    Requests requests;
    requests.stop = m_stopFlag && m_stopFlag->load();
    if (!m_looksAtFiles)
        return requests;
    std::error_code ignored;
    requests.stop |= std::filesystem::exists(m_directory.stopRequest(), ignored);
    requests.checkpoint = std::filesystem::exists(m_directory.checkpointRequest(), ignored);
    return requests;
}

void RunRequests::checkpointTaken() const
{
    std::error_code ignored;
    if (m_looksAtFiles)
        std::filesystem::remove(m_directory.checkpointRequest(), ignored);
}

} // namespace trainyard
