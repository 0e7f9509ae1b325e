#include "engine/comm/cuda/nccl_transport.h"

#include "engine/comm/cuda/cuda_error.h"

namespace trainyard {

namespace {

ncclDataType_t ncclType(FloatType type)
{
    switch (type) {
    case FloatType::Float32: return ncclFloat32;
    case FloatType::Float64: return ncclFloat64;
    case FloatType::BFloat16: return ncclBfloat16;
    case FloatType::Float16: return ncclFloat16;
    }
    return ncclFloat32;
}

ncclRedOp_t ncclOp(ReduceOp op)
{
    return op == ReduceOp::Max ? ncclMax : ncclSum;
}

ncclUniqueId agreeOnId(Transport& host)
{
    ncclUniqueId id{};
    if (host.rank().value == 0)
        requireNccl(ncclGetUniqueId(&id), "ncclGetUniqueId");
    host.broadcast(std::as_writable_bytes(std::span(&id, 1)), Rank{0});
    return id;
}

} // namespace

NcclTransport::NcclTransport(std::unique_ptr<Transport> host, int device)
    : m_host(std::move(host)), m_device(device)
{
    const ncclUniqueId id = agreeOnId(*m_host);
    requireCuda(cudaSetDevice(m_device), "cudaSetDevice");
    requireCuda(cudaStreamCreateWithFlags(&m_stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    requireNccl(ncclCommInitRank(&m_comm, size().value, id, rank().value), "ncclCommInitRank");
}

NcclTransport::~NcclTransport()
{
    if (m_comm)
        ncclCommDestroy(m_comm);
    if (m_stream)
        cudaStreamDestroy(m_stream);
    for (cudaEvent_t mark : m_marks)
        cudaEventDestroy(mark);
}

bool NcclTransport::onDevice(const void* memory) const
{
    cudaPointerAttributes attributes{};
    requireCuda(cudaPointerGetAttributes(&attributes, memory), "cudaPointerGetAttributes");
    return attributes.type == cudaMemoryTypeDevice && attributes.device == m_device;
}

void NcclTransport::handedOver(std::span<const std::byte> memory)
{
    if (!onDevice(memory.data()))
        return;
    requireCuda(cudaSetDevice(m_device), "cudaSetDevice");
    cudaEvent_t mark = nullptr;
    requireCuda(cudaEventCreateWithFlags(&mark, cudaEventDisableTiming), "cudaEventCreateWithFlags");
    requireCuda(cudaEventRecord(mark, nullptr), "cudaEventRecord");
    const std::lock_guard lock(m_mutex);
    m_marks.push_back(mark);
}

void NcclTransport::waitForMark()
{
    cudaEvent_t mark = nullptr;
    {
        const std::lock_guard lock(m_mutex);
        mark = m_marks.front();
        m_marks.pop_front();
    }
    requireCuda(cudaStreamWaitEvent(m_stream, mark, 0), "cudaStreamWaitEvent");
    requireCuda(cudaEventDestroy(mark), "cudaEventDestroy");
}

template <typename Collective>
void NcclTransport::onStream(const char* name, Collective collective)
{
    requireCuda(cudaSetDevice(m_device), "cudaSetDevice");
    waitForMark();
    requireNccl(collective(), name);
    requireCuda(cudaStreamSynchronize(m_stream), name);
}

void NcclTransport::allReduce(FloatSpan values, ReduceOp op)
{
    if (!onDevice(values.data))
        return m_host->allReduce(values, op);
    onStream("ncclAllReduce", [&] {
        return ncclAllReduce(values.data, values.data, values.count, ncclType(values.type), ncclOp(op),
                             m_comm, m_stream);
    });
}

void NcclTransport::allGather(std::span<std::byte> all)
{
    if (!onDevice(all.data()))
        return m_host->allGather(all);
    const std::size_t part = all.size() / static_cast<std::size_t>(size().value);
    const std::byte* mine = all.data() + part * static_cast<std::size_t>(rank().value);
    onStream("ncclAllGather",
             [&] { return ncclAllGather(mine, all.data(), part, ncclUint8, m_comm, m_stream); });
}

void NcclTransport::reduceScatter(FloatSpan values)
{
    if (!onDevice(values.data))
        return m_host->reduceScatter(values);
    const std::size_t count = values.count / static_cast<std::size_t>(size().value);
    const FloatSpan mine = values.part(count * static_cast<std::size_t>(rank().value), count);
    onStream("ncclReduceScatter", [&] {
        return ncclReduceScatter(values.data, mine.data, count, ncclType(values.type), ncclSum, m_comm,
                                 m_stream);
    });
}

} // namespace trainyard
