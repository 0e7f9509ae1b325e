#pragma once

#include <deque>
#include <span>
#include <vector>

#include <ATen/core/Tensor.h>
#include <c10/cuda/CUDAStream.h>

#include "engine/comm/device_transport.h"
#include "engine/device/cuda/nccl_communicator.h"

namespace trainyard {

/// Collectives over memory of device 0 through NCCL, on a stream of their own with high priority. Events go
/// both ways: the stream waits for what the current stream was given before the call, and wait() lets the
/// then current stream wait for the collective. Memory that is freed after wait() may be handed out again at
/// once: whoever gets it computes on the stream that waited.
class NcclTransport final : public DeviceTransport {
public:
    /// All ranks together. Throws CommunicationError.
    NcclTransport(const DeviceGroupId& id, int rank, int size, DeviceTraffic traffic);

    bool reaches(const void* memory) const override;
    Pending allReduce(FloatSpan values, ReduceOp op) override;
    Pending broadcast(std::span<std::byte> bytes, Rank root) override;
    Pending allGather(std::span<std::byte> all) override;
    Pending reduceScatter(FloatSpan values) override;
    Pending send(std::span<const std::byte> bytes, Rank to) override;
    Pending receive(std::span<std::byte> bytes, Rank from) override;
    Pending shift(std::span<const std::byte> out, std::span<std::byte> in) override;
    Pending allToAll(std::span<const std::byte> out, const BytesByRank& outSizes, std::span<std::byte> in,
                     const BytesByRank& inSizes) override;

private:
    /// A message that may not have left yet.
    struct Outgoing {
        at::Tensor bytes;
        Pending work;
    };

    void connect(DeviceTraffic traffic);
    /// By rank, as one operation.
    Pending exchange(const std::vector<std::span<const std::byte>>& out,
                     const std::vector<std::span<std::byte>>& in);
    template <typename Collective>
    Pending enqueue(const char* name, Collective collective);
    void dropSent();

    std::deque<Outgoing> m_outgoing; // oldest first; freed behind the communicator, which still sends them
    NcclCommunicator m_communicator;
    c10::cuda::CUDAStream m_stream;
};

} // namespace trainyard
