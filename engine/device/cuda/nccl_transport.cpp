#include "engine/device/cuda/nccl_transport.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <c10/cuda/CUDAEvent.h>
#include <c10/cuda/CUDAException.h>
#include <cuda_runtime_api.h>

#include "engine/base/check.h"
#include "engine/comm/work.h"

namespace trainyard {

namespace {

ncclDataType_t ncclType(FloatType type)
{
    switch (type) {
    case FloatType::Float32:
        return ncclFloat32;
    case FloatType::Float64:
        return ncclFloat64;
    case FloatType::BFloat16:
        return ncclBfloat16;
    case FloatType::Float16:
        return ncclFloat16;
    }
    return ncclFloat32;
}

ncclRedOp_t ncclOp(ReduceOp op)
{
    return op == ReduceOp::Max ? ncclMax : ncclSum;
}

class NcclWork final : public DeviceWork {
public:
    NcclWork(std::shared_ptr<NcclErrors> errors, const c10::cuda::CUDAStream& stream)
        : m_errors(std::move(errors))
    {
        m_end.record(stream);
    }

    void wait() override { m_end.block(c10::cuda::getCurrentCUDAStream()); }

    bool isDone() override
    {
        if (const std::string error = m_errors->newest(); !error.empty())
            throw CommunicationError(error);
        return m_end.query();
    }

private:
    std::shared_ptr<NcclErrors> m_errors;
    c10::cuda::CUDAEvent m_end;
};

at::Tensor zeroBytes(std::int64_t count)
{
    return at::zeros({count}, at::TensorOptions().dtype(at::kByte).device(at::kCUDA));
}

std::span<std::byte> bytesOf(const at::Tensor& tensor)
{
    return {static_cast<std::byte*>(tensor.mutable_data_ptr()), static_cast<std::size_t>(tensor.numel())};
}

} // namespace

NcclTransport::NcclTransport(const DeviceGroupId& id, int rank, int size, DeviceTraffic traffic)
    : m_communicator(id, rank, size, traffic), m_stream(c10::cuda::getStreamFromPool(/*isHighPriority=*/true))
{
    connect(traffic);
}

// NCCL has connected the ranks for collectives. The first message between two waits on the host for its
// receiver. Here all make their groups in an order in which nobody waits for ever; in a pipeline's schedule
// they might.
void NcclTransport::connect(DeviceTraffic traffic)
{
    if (traffic == DeviceTraffic::Collectives)
        return;
    const int ranks = m_communicator.size();
    const at::Tensor out = zeroBytes(ranks);
    const at::Tensor in = zeroBytes(ranks);
    const BytesByRank each(static_cast<std::size_t>(ranks), 1);
    const auto meet = [&]() -> Pending {
        if (traffic == DeviceTraffic::Exchange)
            return allToAll(bytesOf(out), each, bytesOf(in), each);
        if (traffic == DeviceTraffic::Ring)
            return shift(bytesOf(out), bytesOf(in));
        return m_communicator.rank() == 0 ? send(bytesOf(out), Rank{1}) : receive(bytesOf(in), Rank{0});
    };
    meet()->wait();
}

bool NcclTransport::reaches(const void* memory) const
{
    if (!memory)
        return false; // of nothing at all
    cudaPointerAttributes attributes{};
    C10_CUDA_CHECK(cudaPointerGetAttributes(&attributes, memory));
    return attributes.type == cudaMemoryTypeDevice;
}

template <typename Collective>
NcclTransport::Pending NcclTransport::enqueue(const char* name, Collective collective)
{
    // The collective starts when the current stream has computed its operand, and that stream goes on
    // meanwhile.
    c10::cuda::CUDAEvent handedOver;
    handedOver.record(c10::cuda::getCurrentCUDAStream());
    handedOver.block(m_stream);
    m_communicator.call(name, [&](ncclComm_t comm) { return collective(comm, m_stream.stream()); });
    return std::make_shared<NcclWork>(m_communicator.errors(), m_stream);
}

NcclTransport::Pending NcclTransport::allReduce(FloatSpan values, ReduceOp op)
{
    return enqueue("ncclAllReduce", [&](ncclComm_t comm, cudaStream_t stream) {
        return ncclAllReduce(values.data, values.data, values.count, ncclType(values.type), ncclOp(op), comm,
                             stream);
    });
}

NcclTransport::Pending NcclTransport::broadcast(std::span<std::byte> bytes, Rank root)
{
    return enqueue("ncclBroadcast", [&](ncclComm_t comm, cudaStream_t stream) {
        return ncclBroadcast(bytes.data(), bytes.data(), bytes.size(), ncclUint8, root.value, comm, stream);
    });
}

// In place: each rank's part lies where it belongs.
NcclTransport::Pending NcclTransport::allGather(std::span<std::byte> all)
{
    const std::size_t part = all.size() / static_cast<std::size_t>(m_communicator.size());
    TRAINYARD_CHECK(part * static_cast<std::size_t>(m_communicator.size()) == all.size());
    const std::byte* mine = all.data() + part * static_cast<std::size_t>(m_communicator.rank());
    return enqueue("ncclAllGather", [&](ncclComm_t comm, cudaStream_t stream) {
        return ncclAllGather(mine, all.data(), part, ncclUint8, comm, stream);
    });
}

NcclTransport::Pending NcclTransport::reduceScatter(FloatSpan values)
{
    const std::size_t count = values.count / static_cast<std::size_t>(m_communicator.size());
    TRAINYARD_CHECK(count * static_cast<std::size_t>(m_communicator.size()) == values.count);
    const FloatSpan mine = values.part(count * static_cast<std::size_t>(m_communicator.rank()), count);
    return enqueue("ncclReduceScatter", [&](ncclComm_t comm, cudaStream_t stream) {
        return ncclReduceScatter(values.data, mine.data, count, ncclType(values.type), ncclSum, comm, stream);
    });
}

// The copies are freed here, on the thread whose allocations are counted.
void NcclTransport::dropSent()
{
    while (!m_outgoing.empty() && m_outgoing.front().work->isDone())
        m_outgoing.pop_front();
}

// The copy is made on the current stream, so the caller may free or overwrite `bytes` at once.
NcclTransport::Pending NcclTransport::send(std::span<const std::byte> bytes, Rank to)
{
    dropSent();
    const at::Tensor copy = at::empty({static_cast<std::int64_t>(bytes.size())},
                                      at::TensorOptions().dtype(at::kByte).device(at::kCUDA));
    C10_CUDA_CHECK(cudaMemcpyAsync(copy.mutable_data_ptr(), bytes.data(), bytes.size(),
                                   cudaMemcpyDeviceToDevice, c10::cuda::getCurrentCUDAStream()));
    Pending work = enqueue("ncclSend", [&](ncclComm_t comm, cudaStream_t stream) {
        return ncclSend(copy.const_data_ptr(), bytes.size(), ncclUint8, to.value, comm, stream);
    });
    m_outgoing.push_back({copy, work});
    return work;
}

NcclTransport::Pending NcclTransport::receive(std::span<std::byte> bytes, Rank from)
{
    return enqueue("ncclRecv", [&](ncclComm_t comm, cudaStream_t stream) {
        return ncclRecv(bytes.data(), bytes.size(), ncclUint8, from.value, comm, stream);
    });
}

// As one operation, in which nobody's sending waits for its own receiving.
NcclTransport::Pending NcclTransport::shift(std::span<const std::byte> out, std::span<std::byte> in)
{
    const int ranks = m_communicator.size();
    const auto next = static_cast<std::size_t>((m_communicator.rank() + 1) % ranks);
    const auto previous = static_cast<std::size_t>((m_communicator.rank() + ranks - 1) % ranks);
    std::vector<std::span<const std::byte>> sent(static_cast<std::size_t>(ranks));
    std::vector<std::span<std::byte>> received(sent.size());
    sent[next] = out;
    received[previous] = in;
    return exchange(sent, received);
}

NcclTransport::Pending NcclTransport::allToAll(std::span<const std::byte> out, const BytesByRank& outSizes,
                                               std::span<std::byte> in, const BytesByRank& inSizes)
{
    return exchange(partsByRank(out, outSizes), partsByRank(in, inSizes));
}

// Both sides leave out what is empty.
NcclTransport::Pending NcclTransport::exchange(const std::vector<std::span<const std::byte>>& out,
                                               const std::vector<std::span<std::byte>>& in)
{
    return enqueue("ncclSend and ncclRecv", [&](ncclComm_t comm, cudaStream_t stream) {
        ncclResult_t result = ncclGroupStart();
        const auto keepFirst = [&result](ncclResult_t next) {
            result = result == ncclSuccess ? next : result;
        };
        for (std::size_t rank = 0; rank < out.size(); ++rank) {
            const int peer = static_cast<int>(rank);
            if (!out[rank].empty())
                keepFirst(ncclSend(out[rank].data(), out[rank].size(), ncclUint8, peer, comm, stream));
            if (!in[rank].empty())
                keepFirst(ncclRecv(in[rank].data(), in[rank].size(), ncclUint8, peer, comm, stream));
        }
        keepFirst(ncclGroupEnd());
        return result;
    });
}

} // namespace trainyard
