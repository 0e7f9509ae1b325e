#include "engine/comm/cuda/nccl_transport.h"

#include "engine/comm/cuda/cuda_error.h"

namespace trainyard {

namespace {

ncclDataType_t ncclType(FloatType type)
{
    return type == FloatType::Float64 ? ncclFloat64 : ncclFloat32;
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

bool NcclTransport::onDevice(const FloatSpan& values) const
{
    cudaPointerAttributes attributes{};
    requireCuda(cudaPointerGetAttributes(&attributes, values.data), "cudaPointerGetAttributes");
    return attributes.type == cudaMemoryTypeDevice && attributes.device == m_device;
}

void NcclTransport::handedOver(const FloatSpan& values)
{
    if (!onDevice(values))
        return;
    requireCuda(cudaSetDevice(m_device), "cudaSetDevice");
    cudaEvent_t mark = nullptr;
    requireCuda(cudaEventCreateWithFlags(&mark, cudaEventDisableTiming), "cudaEventCreateWithFlags");
    requireCuda(cudaEventRecord(mark, nullptr), "cudaEventRecord");
    const std::lock_guard lock(m_mutex);
    m_marks.push_back(mark);
}

cudaEvent_t NcclTransport::takeMark()
{
    const std::lock_guard lock(m_mutex);
    cudaEvent_t mark = m_marks.front();
    m_marks.pop_front();
    return mark;
}

void NcclTransport::allReduce(FloatSpan values, ReduceOp op)
{
    if (!onDevice(values)) {
        m_host->allReduce(values, op);
        return;
    }
    requireCuda(cudaSetDevice(m_device), "cudaSetDevice");
    cudaEvent_t mark = takeMark();
    requireCuda(cudaStreamWaitEvent(m_stream, mark, 0), "cudaStreamWaitEvent");
    requireCuda(cudaEventDestroy(mark), "cudaEventDestroy");
    requireNccl(ncclAllReduce(values.data, values.data, values.count, ncclType(values.type), ncclOp(op),
                              m_comm, m_stream),
                "ncclAllReduce");
    requireCuda(cudaStreamSynchronize(m_stream), "all-reduce");
}

} // namespace trainyard
