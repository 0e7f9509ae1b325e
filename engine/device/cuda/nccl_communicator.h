#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include <nccl.h>

#include "engine/comm/device_transport.h"
#include "engine/device/cuda/cuda_plugin.h"

namespace trainyard {

/// Makes an id for a new communicator. Throws CommunicationError.
DeviceGroupId makeNcclId();

/// What went wrong in a communicator, for as long as that exists. Any thread; outlives the communicator,
/// which nobody keeps alive by asking.
class NcclErrors {
public:
    explicit NcclErrors(ncclComm_t comm) : m_comm(comm) {}

    /// On whatever rank; empty when nothing did.
    std::string newest();
    /// The communicator is about to end.
    void close();

private:
    std::mutex m_mutex;
    ncclComm_t m_comm; // null: it has ended
};

/// One NCCL communicator. It is made, used and destroyed by one thread. Never aborted: see
/// CollectiveWatchdog.
class NcclCommunicator {
public:
    /// All ranks together. One for messages takes few of the device's processors, and little of its memory.
    /// Throws CommunicationError.
    NcclCommunicator(const DeviceGroupId& id, int rank, int size, DeviceTraffic traffic);
    /// All ranks together, all collectives done.
    ~NcclCommunicator();
    NcclCommunicator(const NcclCommunicator&) = delete;
    NcclCommunicator& operator=(const NcclCommunicator&) = delete;

    int rank() const { return m_rank; }
    int size() const { return m_size; }
    /// Enqueues a call of NCCL. Throws CommunicationError naming it.
    void call(const char* name, const std::function<ncclResult_t(ncclComm_t)>& function);
    std::shared_ptr<NcclErrors> errors() const { return m_errors; }

private:
    const int m_rank;
    const int m_size;
    ncclComm_t m_comm = nullptr;
    std::shared_ptr<NcclErrors> m_errors;
};

} // namespace trainyard
