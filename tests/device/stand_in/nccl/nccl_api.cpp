// libnccl's functions, as far as the engine and LibTorch call them.
#include <algorithm>
#include <cstring>
#include <mutex>
#include <set>
#include <utility>

#include <unistd.h>

#include "tests/device/stand_in/cudart/faults.h"
#include "tests/device/stand_in/cudart/findings.h"
#include "tests/device/stand_in/nccl/communicator.h"

using namespace trainyard::stand_in;

namespace {

/// Device memory of a communicator: buffers of each channel. One that shares its parent's has none.
constexpr std::size_t kChannelBytes = std::size_t{4} << 20;
constexpr int kChannels = 8;
constexpr std::size_t kSharingBytes = std::size_t{1} << 20;

/// All that were ever made here.
class Communicators {
public:
    ncclComm_t add(Communicator* communicator)
    {
        const std::lock_guard lock(m_mutex);
        m_all.insert(communicator);
        return reinterpret_cast<ncclComm_t>(communicator);
    }
    /// Null, with a finding, for what is not one or not any more.
    Communicator* find(ncclComm_t handle, const char* function)
    {
        const std::lock_guard lock(m_mutex);
        auto* const communicator = reinterpret_cast<Communicator*>(handle);
        if (!m_all.contains(communicator)) {
            reportFinding(std::string(function) + " of something that is no communicator");
            return nullptr;
        }
        if (communicator->isOver()) {
            reportFinding(std::string(function) + " of a communicator that was aborted or destroyed");
            return nullptr;
        }
        return communicator;
    }
    ~Communicators()
    {
        const auto open = std::ranges::count_if(m_all, [](const Communicator* c) { return !c->isOver(); });
        if (open > 0)
            reportFinding("the process exits with " + std::to_string(open) + " communicators still open");
    }

private:
    std::mutex m_mutex;
    std::set<Communicator*> m_all;
};

Communicators& communicators()
{
    static Communicators communicators;
    return communicators;
}

/// A thread in a call of a communicator; another one at the same time is a finding.
class Visit {
public:
    Visit(Communicator& communicator, const char* function) : m_communicator(communicator)
    {
        std::thread::id nobody;
        m_isAlone = communicator.inside.compare_exchange_strong(nobody, std::this_thread::get_id());
        if (!m_isAlone)
            reportFinding(std::string(function) + " while another thread is in a call of the communicator");
    }
    bool isAlone() const { return m_isAlone; }
    ~Visit()
    {
        if (m_isAlone)
            m_communicator.inside = std::thread::id();
    }

private:
    Communicator& m_communicator;
    bool m_isAlone = false;
};

thread_local int groupDepth = 0;
thread_local std::vector<std::pair<Communicator*, DeviceCall>> grouped;

/// Each communicator's calls together.
ncclResult_t submitGrouped()
{
    const auto calls = std::exchange(grouped, {});
    std::vector<Communicator*> order;
    for (const auto& [communicator, call] : calls) {
        if (std::ranges::find(order, communicator) == order.end())
            order.push_back(communicator);
    }
    ncclResult_t result = ncclSuccess;
    for (Communicator* const communicator : order) {
        std::vector<DeviceCall> own;
        for (const auto& [other, call] : calls) {
            if (other == communicator)
                own.push_back(call);
        }
        const Visit visit(*communicator, "ncclGroupEnd");
        const ncclResult_t submitted = visit.isAlone() ? communicator->submit(own) : ncclInvalidUsage;
        if (submitted != ncclSuccess)
            result = submitted;
    }
    return result;
}

ncclResult_t submitOrGroup(ncclComm_t handle, const char* function, const DeviceCall& call)
{
    Communicator* const communicator = communicators().find(handle, function);
    if (!communicator)
        return ncclInvalidArgument;
    if (faultAt("call") == "error")
        communicator->breakDown();
    if (groupDepth > 0) {
        grouped.emplace_back(communicator, call);
        return ncclSuccess;
    }
    const Visit visit(*communicator, function);
    return visit.isAlone() ? communicator->submit({call}) : ncclInvalidUsage;
}

CollectiveCall terms(CollectiveCall::Kind kind, ncclDataType_t type, size_t count,
                     ncclRedOp_t operation = ncclSum, int root = 0)
{
    return {kind, static_cast<int>(type), static_cast<int>(operation), root, count};
}

ncclResult_t collective(ncclComm_t handle, const char* function, const CollectiveCall& call, const void* in,
                        void* out, cudaStream_t stream)
{
    return submitOrGroup(handle, function, {DeviceCall::Kind::Collective, call, in, out, 0, 0, stream});
}

struct Id {
    SharedPlace place;
};
static_assert(sizeof(Id) <= sizeof(ncclUniqueId));

std::size_t deviceBytes(const ncclConfig_t* config)
{
    const bool isLimited = config && config->maxCTAs != NCCL_CONFIG_UNDEF_INT;
    return kChannelBytes *
           static_cast<std::size_t>(isLimited ? std::min(config->maxCTAs, kChannels) : kChannels);
}

void requireBlocking(const ncclConfig_t* config)
{
    if (config && config->blocking == 0)
        lacks("communicators that do not block");
}

} // namespace

extern "C" {

ncclResult_t ncclGetVersion(int* version)
{
    *version = NCCL_VERSION_CODE;
    return ncclSuccess;
}

ncclResult_t ncclGetUniqueId(ncclUniqueId* id)
{
    const Id made{{::getpid(), makeSharedFile()}};
    std::memset(id, 0, sizeof *id);
    std::memcpy(id, &made, sizeof made);
    return ncclSuccess;
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t* handle, int size, ncclUniqueId id, int rank,
                                    ncclConfig_t* config)
{
    requireBlocking(config);
    if (size > kMaxRanks)
        lacks("communicators of so many ranks");
    faultAt("init");
    Id place;
    std::memcpy(static_cast<void*>(&place), &id, sizeof place);
    auto* const communicator = new Communicator(place.place, rank, size, deviceBytes(config));
    *handle = communicators().add(communicator);
    return communicator->meet() ? ncclSuccess : ncclInternalError;
}

ncclResult_t ncclCommInitRank(ncclComm_t* handle, int size, ncclUniqueId id, int rank)
{
    return ncclCommInitRankConfig(handle, size, id, rank, nullptr);
}

ncclResult_t ncclCommSplit(ncclComm_t handle, int color, int key, ncclComm_t* made, ncclConfig_t* config)
{
    Communicator* const parent = communicators().find(handle, "ncclCommSplit");
    if (!parent)
        return ncclInvalidArgument;
    requireBlocking(config);
    faultAt("init");
    const Visit visit(*parent, "ncclCommSplit");
    const bool shares = config && config->splitShare == 1;
    Communicator* const part = parent->split(color, key, shares ? kSharingBytes : deviceBytes(config));
    *made = part ? communicators().add(part) : nullptr;
    if (part || color == NCCL_SPLIT_NOCOLOR)
        return ncclSuccess;
    return parent->isOver() ? ncclInternalError : parent->error();
}

ncclResult_t ncclCommFinalize(ncclComm_t handle)
{
    Communicator* const communicator = communicators().find(handle, "ncclCommFinalize");
    if (!communicator)
        return ncclInvalidArgument;
    const Visit visit(*communicator, "ncclCommFinalize");
    return communicator->finish() ? ncclSuccess : ncclInternalError;
}

ncclResult_t ncclCommDestroy(ncclComm_t handle)
{
    Communicator* const communicator = communicators().find(handle, "ncclCommDestroy");
    if (!communicator)
        return ncclInvalidArgument;
    faultAt("destroy");
    const Visit visit(*communicator, "ncclCommDestroy");
    if (communicator->maker() != std::this_thread::get_id())
        reportFinding(
            "a communicator is destroyed on another thread than it was made on, so in no order that "
            "all ranks share");
    communicator->end();
    return ncclSuccess;
}

ncclResult_t ncclCommAbort(ncclComm_t handle)
{
    Communicator* const communicator = communicators().find(handle, "ncclCommAbort");
    if (!communicator)
        return ncclInvalidArgument;
    faultAt("abort");
    communicator->abort();
    return ncclSuccess;
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t handle, ncclResult_t* error)
{
    Communicator* const communicator = communicators().find(handle, "ncclCommGetAsyncError");
    if (!communicator)
        return ncclInvalidArgument;
    *error = communicator->error();
    return ncclSuccess;
}

ncclResult_t ncclCommCount(const ncclComm_t handle, int* count)
{
    Communicator* const communicator = communicators().find(handle, "ncclCommCount");
    if (!communicator)
        return ncclInvalidArgument;
    *count = communicator->size();
    return ncclSuccess;
}

ncclResult_t ncclCommUserRank(const ncclComm_t handle, int* rank)
{
    Communicator* const communicator = communicators().find(handle, "ncclCommUserRank");
    if (!communicator)
        return ncclInvalidArgument;
    *rank = communicator->rank();
    return ncclSuccess;
}

const char* ncclGetErrorString(ncclResult_t result)
{
    switch (result) {
    case ncclSuccess:
        return "no error";
    case ncclInvalidArgument:
        return "invalid argument";
    case ncclInvalidUsage:
        return "invalid usage";
    case ncclRemoteError:
        return "remote process exited or there was a network error";
    default:
        return "internal error";
    }
}

const char* ncclGetLastError(ncclComm_t handle)
{
    return handle ? reinterpret_cast<Communicator*>(handle)->errorText() : "";
}

ncclResult_t ncclGroupStart()
{
    ++groupDepth;
    return ncclSuccess;
}

ncclResult_t ncclGroupEnd()
{
    return --groupDepth > 0 ? ncclSuccess : submitGrouped();
}

ncclResult_t ncclAllReduce(const void* in, void* out, size_t count, ncclDataType_t type,
                           ncclRedOp_t operation, ncclComm_t handle, cudaStream_t stream)
{
    return collective(handle, "ncclAllReduce", terms(CollectiveCall::AllReduce, type, count, operation), in,
                      out, stream);
}

ncclResult_t ncclBroadcast(const void* in, void* out, size_t count, ncclDataType_t type, int root,
                           ncclComm_t handle, cudaStream_t stream)
{
    return collective(handle, "ncclBroadcast", terms(CollectiveCall::Broadcast, type, count, ncclSum, root),
                      in, out, stream);
}

ncclResult_t ncclAllGather(const void* in, void* out, size_t count, ncclDataType_t type, ncclComm_t handle,
                           cudaStream_t stream)
{
    return collective(handle, "ncclAllGather", terms(CollectiveCall::AllGather, type, count), in, out,
                      stream);
}

ncclResult_t ncclReduceScatter(const void* in, void* out, size_t count, ncclDataType_t type,
                               ncclRedOp_t operation, ncclComm_t handle, cudaStream_t stream)
{
    return collective(handle, "ncclReduceScatter",
                      terms(CollectiveCall::ReduceScatter, type, count, operation), in, out, stream);
}

ncclResult_t ncclSend(const void* start, size_t count, ncclDataType_t type, int peer, ncclComm_t handle,
                      cudaStream_t stream)
{
    return submitOrGroup(
        handle, "ncclSend",
        {DeviceCall::Kind::Send, {}, start, nullptr, peer, count * bytesOfType(type), stream});
}

ncclResult_t ncclRecv(void* start, size_t count, ncclDataType_t type, int peer, ncclComm_t handle,
                      cudaStream_t stream)
{
    return submitOrGroup(
        handle, "ncclRecv",
        {DeviceCall::Kind::Receive, {}, nullptr, start, peer, count * bytesOfType(type), stream});
}
}
