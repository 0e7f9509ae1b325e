#pragma once

#include <deque>
#include <memory>
#include <mutex>

#include <cuda_runtime_api.h>
#include <nccl.h>

#include "engine/comm/transport.h"

namespace trainyard {

/// Reduces memory of this rank's device through NCCL on a stream of its own. Host memory and everything that
/// is no reduction goes through the host transport, which also carries NCCL's unique id.
class NcclTransport final : public Transport {
public:
    /// All ranks together. Throws CommunicationError.
    NcclTransport(std::unique_ptr<Transport> host, int device);
    ~NcclTransport() override;

    Rank rank() const override { return m_host->rank(); }
    WorldSize size() const override { return m_host->size(); }
    void allReduce(FloatSpan values, ReduceOp op) override;
    void broadcast(std::span<std::byte> bytes, Rank root) override { m_host->broadcast(bytes, root); }
    std::vector<std::string> gather(std::string_view bytes) override { return m_host->gather(bytes); }
    void barrier() override { m_host->barrier(); }
    void allGather(std::span<std::byte> all) override;
    void reduceScatter(FloatSpan values) override;
    void send(std::span<const std::byte> bytes, Rank to) override { m_host->send(bytes, to); }
    void receive(std::span<std::byte> bytes, Rank from) override { m_host->receive(bytes, from); }

    /// Device memory: marks what the default stream has been given so far; the reduction waits for exactly
    /// that.
    void handedOver(std::span<const std::byte> memory) override;

private:
    bool onDevice(const void* memory) const;
    void waitForMark();
    template <typename Collective>
    void onStream(const char* name, Collective collective);

    std::unique_ptr<Transport> m_host;
    int m_device;
    cudaStream_t m_stream = nullptr;
    ncclComm_t m_comm = nullptr;
    std::mutex m_mutex;
    std::deque<cudaEvent_t> m_marks; // in the order of the reductions to come
};

} // namespace trainyard
