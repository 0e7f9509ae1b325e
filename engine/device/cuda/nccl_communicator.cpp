#include "engine/device/cuda/nccl_communicator.h"

#include <cstring>

#include "engine/comm/work.h"

namespace trainyard {

namespace {

/// Thread blocks of a message, and so its channels, each of which has buffers of its own. Few, because a
/// message has the time of a pass to arrive, and a rank of a pipeline has four communicators for messages.
constexpr int kMessageBlocks = 4;

std::string textOf(ncclResult_t result, ncclComm_t comm)
{
    const char* detail = ncclGetLastError(comm);
    const std::string text = ncclGetErrorString(result);
    return detail && *detail ? text + " (" + detail + ")" : text;
}

void require(const char* name, ncclResult_t result, ncclComm_t comm)
{
    if (result != ncclSuccess)
        throw CommunicationError(std::string(name) + ": " + textOf(result, comm));
}

} // namespace

DeviceGroupId makeNcclId()
{
    ncclUniqueId id{};
    static_assert(sizeof id == sizeof(DeviceGroupId));
    require("ncclGetUniqueId", ncclGetUniqueId(&id), nullptr);
    DeviceGroupId bytes;
    std::memcpy(bytes.data(), &id, sizeof id);
    return bytes;
}

std::string NcclErrors::newest()
{
    const std::lock_guard lock(m_mutex);
    if (!m_comm)
        return {};
    ncclResult_t result = ncclSuccess;
    const ncclResult_t asked = ncclCommGetAsyncError(m_comm, &result);
    if (asked != ncclSuccess)
        return textOf(asked, m_comm);
    return result == ncclSuccess || result == ncclInProgress ? std::string() : textOf(result, m_comm);
}

void NcclErrors::close()
{
    const std::lock_guard lock(m_mutex);
    m_comm = nullptr;
}

NcclCommunicator::NcclCommunicator(const DeviceGroupId& id, int rank, int size, DeviceTraffic traffic)
    : m_rank(rank), m_size(size)
{
    ncclUniqueId uniqueId;
    std::memcpy(&uniqueId, id.data(), sizeof uniqueId);
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    if (traffic == DeviceTraffic::Messages)
        config.maxCTAs = kMessageBlocks;
    require("ncclCommInitRankConfig", ncclCommInitRankConfig(&m_comm, size, uniqueId, rank, &config), m_comm);
    m_errors = std::make_shared<NcclErrors>(m_comm);
}

NcclCommunicator::~NcclCommunicator()
{
    m_errors->close();
    ncclCommDestroy(m_comm);
}

void NcclCommunicator::call(const char* name, const std::function<ncclResult_t(ncclComm_t)>& function)
{
    require(name, function(m_comm), m_comm);
}

} // namespace trainyard
