#pragma once

#include <atomic>
#include <functional>
#include <string>

#include <nccl.h>

#include "engine/device/cuda/cuda_plugin.h"

namespace trainyard {

/// Makes an id for a new communicator. Throws CommunicationError.
DeviceGroupId makeNcclId();

/// One NCCL communicator. Calls come from one thread, but for error() and abort().
class NcclCommunicator {
public:
    /// All ranks together. Throws CommunicationError.
    NcclCommunicator(const DeviceGroupId& id, int rank, int size);
    /// All ranks together, all collectives done.
    ~NcclCommunicator();
    NcclCommunicator(const NcclCommunicator&) = delete;
    NcclCommunicator& operator=(const NcclCommunicator&) = delete;

    int rank() const { return m_rank; }
    int size() const { return m_size; }
    /// Enqueues a call of NCCL. Throws CommunicationError naming it.
    void call(const char* name, const std::function<ncclResult_t(ncclComm_t)>& function);
    /// What went wrong since, on whatever rank; empty when nothing did. Any thread.
    std::string error();
    /// Makes the device leave every collective. Any thread, also while another is in call(); later calls
    /// throw.
    void abort();

private:
    const int m_rank;
    const int m_size;
    ncclComm_t m_comm = nullptr;
    std::atomic<bool> m_aborted{false};
};

} // namespace trainyard
