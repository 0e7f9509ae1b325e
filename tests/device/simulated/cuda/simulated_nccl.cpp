#include <atomic>
#include <cstring>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <nccl.h>

#include "engine/comm/communication_thread.h"
#include "engine/comm/float_span.h"
#include "engine/comm/threads_transport.h"
#include "engine/comm/work.h"
#include "tests/device/simulated/simulated_device.h"

namespace trainyard {

namespace {

/// Where the ranks of one communicator meet, by its id.
class NcclMeetings {
public:
    static NcclMeetings& instance()
    {
        static auto* const meetings = new NcclMeetings; // communicators may end after everything else
        return *meetings;
    }

    ncclUniqueId makeId()
    {
        const std::lock_guard lock(m_mutex);
        ncclUniqueId id{};
        const std::uint64_t number = ++m_ids;
        std::memcpy(id.internal, &number, sizeof number);
        return id;
    }
    std::shared_ptr<ThreadsMeeting> of(const ncclUniqueId& id, int ranks)
    {
        const std::lock_guard lock(m_mutex);
        auto& weak = m_meetings[std::string(id.internal, sizeof id.internal)];
        auto meeting = weak.lock();
        if (!meeting)
            weak = meeting = std::make_shared<ThreadsMeeting>(ranks);
        return meeting;
    }

private:
    std::mutex m_mutex;
    std::uint64_t m_ids = 0;
    std::map<std::string, std::weak_ptr<ThreadsMeeting>> m_meetings;
};

std::size_t bytesOf(ncclDataType_t type)
{
    switch (type) {
    case ncclUint8:
        return 1;
    case ncclFloat16:
    case ncclBfloat16:
        return 2;
    case ncclFloat32:
        return 4;
    case ncclFloat64:
        return 8;
    }
    return 0;
}

FloatType floatTypeOf(ncclDataType_t type)
{
    switch (type) {
    case ncclFloat16:
        return FloatType::Float16;
    case ncclBfloat16:
        return FloatType::BFloat16;
    case ncclFloat64:
        return FloatType::Float64;
    default:
        return FloatType::Float32;
    }
}

} // namespace

/// One rank of a communicator. What it is given is noted on its stream at once and done by a thread of its
/// own, in order, when the other ranks come.
class SimulatedCommunicator {
public:
    using Task = std::function<void(ThreadsTransport&)>;

    SimulatedCommunicator(std::shared_ptr<ThreadsMeeting> meeting, int rank)
        : m_meeting(std::move(meeting)), m_ranks(m_meeting, Rank{rank})
    {
    }

    /// A rank that ends by an exception does not keep the others waiting.
    ~SimulatedCommunicator()
    {
        if (std::uncaught_exceptions() > 0)
            m_meeting->breakUp();
    }
    SimulatedCommunicator(const SimulatedCommunicator&) = delete;
    SimulatedCommunicator& operator=(const SimulatedCommunicator&) = delete;

    int rank() const { return m_ranks.rank().value; }
    int size() const { return m_ranks.size().value; }
    bool hasFailed() const { return m_failed; }

    ncclResult_t run(cudaStream_t stream, Task task)
    {
        auto done = m_thread.run([this, task = std::move(task)] {
            try {
                task(m_ranks);
            } catch (const CommunicationError&) {
                m_failed = true;
                throw;
            }
        });
        SimulatedDevice::current().endsWith(stream.number, done.share());
        return ncclSuccess;
    }

private:
    std::shared_ptr<ThreadsMeeting> m_meeting;
    ThreadsTransport m_ranks;
    std::atomic<bool> m_failed{false};
    CommunicationThread m_thread; // gone before what its tasks use
};

namespace {

/// Calls between ncclGroupStart() and ncclGroupEnd(), which are done together.
struct NcclCallGroup {
    int depth = 0;
    SimulatedCommunicator* communicator = nullptr;
    cudaStream_t stream;
    std::vector<SimulatedCommunicator::Task> tasks;
};

NcclCallGroup& callGroup()
{
    thread_local NcclCallGroup group;
    return group;
}

ncclResult_t runOrCollect(SimulatedCommunicator& communicator, cudaStream_t stream,
                          SimulatedCommunicator::Task task)
{
    NcclCallGroup& group = callGroup();
    if (group.depth == 0)
        return communicator.run(stream, std::move(task));
    group.communicator = &communicator;
    group.stream = stream;
    group.tasks.push_back(std::move(task));
    return ncclSuccess;
}

} // namespace

} // namespace trainyard

using namespace trainyard;

ncclResult_t ncclGetUniqueId(ncclUniqueId* id)
{
    *id = NcclMeetings::instance().makeId();
    return ncclSuccess;
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t* communicator, int ranks, ncclUniqueId id, int rank,
                                    ncclConfig_t*)
{
    *communicator = new SimulatedCommunicator(NcclMeetings::instance().of(id, ranks), rank);
    return ncclSuccess;
}

ncclResult_t ncclCommDestroy(ncclComm_t communicator)
{
    delete communicator;
    return ncclSuccess;
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t communicator, ncclResult_t* error)
{
    *error = communicator->hasFailed() ? ncclInternalError : ncclSuccess;
    return ncclSuccess;
}

const char* ncclGetLastError(ncclComm_t)
{
    return "";
}

const char* ncclGetErrorString(ncclResult_t result)
{
    return result == ncclSuccess ? "no error" : "a rank of the simulated group is gone";
}

ncclResult_t ncclAllReduce(const void* from, void* to, std::size_t count, ncclDataType_t type, ncclRedOp_t op,
                           ncclComm_t communicator, cudaStream_t stream)
{
    if (from != to)
        return ncclInvalidArgument;
    SimulatedWork work("ncclAllReduce", stream.number);
    const FloatSpan values(work.use(to, count * bytesOf(type), MemoryAccess::Write), count,
                           floatTypeOf(type));
    const ReduceOp reduceOp = op == ncclMax ? ReduceOp::Max : ReduceOp::Sum;
    return runOrCollect(*communicator, stream,
                        [=](ThreadsTransport& ranks) { ranks.allReduce(values, reduceOp); });
}

ncclResult_t ncclBroadcast(const void* from, void* to, std::size_t count, ncclDataType_t type, int root,
                           ncclComm_t communicator, cudaStream_t stream)
{
    if (from != to)
        return ncclInvalidArgument;
    const std::size_t bytes = count * bytesOf(type);
    SimulatedWork work("ncclBroadcast", stream.number);
    const auto access = communicator->rank() == root ? MemoryAccess::Read : MemoryAccess::Write;
    const std::span all(static_cast<std::byte*>(work.use(to, bytes, access)), bytes);
    return runOrCollect(*communicator, stream,
                        [=](ThreadsTransport& ranks) { ranks.broadcast(all, Rank{root}); });
}

ncclResult_t ncclAllGather(const void* from, void* to, std::size_t countOfRank, ncclDataType_t type,
                           ncclComm_t communicator, cudaStream_t stream)
{
    const std::size_t part = countOfRank * bytesOf(type);
    auto* const first = static_cast<std::byte*>(to);
    auto* const mine = first + part * static_cast<std::size_t>(communicator->rank());
    std::byte* const end = first + part * static_cast<std::size_t>(communicator->size());
    if (from != mine)
        return ncclInvalidArgument;
    SimulatedWork work("ncclAllGather", stream.number);
    work.use(mine, part, MemoryAccess::Read);
    work.use(first, static_cast<std::size_t>(mine - first), MemoryAccess::Write);
    work.use(mine + part, static_cast<std::size_t>(end - mine) - part, MemoryAccess::Write);
    const std::span all(
        static_cast<std::byte*>(SimulatedMemory::instance().executors(reinterpret_cast<std::uintptr_t>(to))),
        static_cast<std::size_t>(end - first));
    return runOrCollect(*communicator, stream, [=](ThreadsTransport& ranks) { ranks.allGather(all); });
}

ncclResult_t ncclReduceScatter(const void* from, void* to, std::size_t countOfRank, ncclDataType_t type,
                               ncclRedOp_t op, ncclComm_t communicator, cudaStream_t stream)
{
    const std::size_t part = countOfRank * bytesOf(type);
    const std::size_t bytes = part * static_cast<std::size_t>(communicator->size());
    if (op != ncclSum)
        return ncclInvalidArgument;
    SimulatedWork work("ncclReduceScatter", stream.number);
    const auto* const all = static_cast<const std::byte*>(work.use(from, bytes, MemoryAccess::Read));
    void* const mine = work.use(to, part, MemoryAccess::Write);
    const FloatType numbers = floatTypeOf(type);
    const std::size_t first = part * static_cast<std::size_t>(communicator->rank());
    return runOrCollect(*communicator, stream, [=](ThreadsTransport& ranks) {
        std::vector<std::byte> sums(all, all + bytes); // what lies beside the own part stays as it was
        ranks.allReduce({sums.data(), bytes / sizeOf(numbers), numbers}, ReduceOp::Sum);
        std::memcpy(mine, sums.data() + first, part);
    });
}

ncclResult_t ncclSend(const void* from, std::size_t count, ncclDataType_t type, int peer,
                      ncclComm_t communicator, cudaStream_t stream)
{
    const std::size_t bytes = count * bytesOf(type);
    SimulatedWork work("ncclSend", stream.number);
    const std::span message(static_cast<const std::byte*>(work.use(from, bytes, MemoryAccess::Read)), bytes);
    return runOrCollect(*communicator, stream,
                        [=](ThreadsTransport& ranks) { ranks.send(message, Rank{peer}); });
}

ncclResult_t ncclRecv(void* to, std::size_t count, ncclDataType_t type, int peer, ncclComm_t communicator,
                      cudaStream_t stream)
{
    const std::size_t bytes = count * bytesOf(type);
    SimulatedWork work("ncclRecv", stream.number);
    const std::span message(static_cast<std::byte*>(work.use(to, bytes, MemoryAccess::Write)), bytes);
    return runOrCollect(*communicator, stream,
                        [=](ThreadsTransport& ranks) { ranks.receive(message, Rank{peer}); });
}

ncclResult_t ncclGroupStart()
{
    ++callGroup().depth;
    return ncclSuccess;
}

ncclResult_t ncclGroupEnd()
{
    NcclCallGroup& group = callGroup();
    if (--group.depth > 0 || group.tasks.empty())
        return ncclSuccess;
    return group.communicator->run(group.stream,
                                   [tasks = std::exchange(group.tasks, {})](ThreadsTransport& ranks) {
                                       for (const auto& task : tasks)
                                           task(ranks);
                                   });
}
