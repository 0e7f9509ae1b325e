#include "engine/device/cuda/nccl_communicator.h"

#include <cstring>

#include "engine/comm/work.h"

namespace trainyard {

namespace {

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

NcclCommunicator::NcclCommunicator(const DeviceGroupId& id, int rank, int size) : m_rank(rank), m_size(size)
{
    ncclUniqueId uniqueId;
    std::memcpy(&uniqueId, id.data(), sizeof uniqueId);
    require("ncclCommInitRank", ncclCommInitRank(&m_comm, size, uniqueId, rank), m_comm);
}

NcclCommunicator::~NcclCommunicator()
{
    if (!m_aborted)
        ncclCommDestroy(m_comm);
}

void NcclCommunicator::call(const char* name, const std::function<ncclResult_t(ncclComm_t)>& function)
{
    if (m_aborted)
        throw CommunicationError(std::string(name) + ": the group was aborted");
    require(name, function(m_comm), m_comm);
}

std::string NcclCommunicator::error()
{
    if (m_aborted)
        return "the group was aborted";
    ncclResult_t result = ncclSuccess;
    const ncclResult_t asked = ncclCommGetAsyncError(m_comm, &result);
    if (asked != ncclSuccess)
        return textOf(asked, m_comm);
    return result == ncclSuccess || result == ncclInProgress ? std::string() : textOf(result, m_comm);
}

void NcclCommunicator::abort()
{
    if (!m_aborted.exchange(true))
        ncclCommAbort(m_comm);
}

} // namespace trainyard
