#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <nccl.h>

#include "tests/device/stand_in/cudart/device.h"
#include "tests/device/stand_in/nccl/transfer.h"

namespace trainyard::stand_in {

/// Where a communicator's shared part is, as its id tells.
struct SharedPlace {
    pid_t pid = 0;
    int file = -1;
};

/// One call of NCCL that goes to a stream.
struct DeviceCall {
    enum class Kind { Collective, Send, Receive };

    Kind kind = Kind::Collective;
    CollectiveCall collective;
    const void* in = nullptr;
    void* out = nullptr;
    int peer = 0;
    std::uint64_t bytes = 0; ///< of a message
    cudaStream_t stream = nullptr;

    std::string text() const;
};

/// One rank's communicator, with NCCL's blocking calls: the host waits in init, in the first collective until
/// all have come to theirs (unless NCCL_RUNTIME_CONNECT is 0), and in the first message of two ranks until
/// both have come. Never freed, so that a use after the end is seen. Calls from one thread; error() and
/// abort() from any.
class Communicator {
public:
    Communicator(const SharedPlace& place, int rank, int size, std::size_t deviceBytes);

    int rank() const { return m_all.rank; }
    int size() const { return m_all.size; }
    std::thread::id maker() const { return m_maker; }

    /// Waits for all ranks; false once aborted.
    bool meet();
    /// The calls of one group. An aborted communicator's do not come to the stream.
    ncclResult_t submit(const std::vector<DeviceCall>& calls);
    /// The communicator of this rank's color; null without one.
    Communicator* split(int color, int key, std::size_t deviceBytes);
    /// Waits until the device has done all calls; false when that will not be.
    bool finish();
    void abort();
    /// Waits for the device and for all ranks.
    void end();
    ncclResult_t error();
    const char* errorText() const;
    /// From now on this rank sees an error of the network.
    void breakDown() { m_isBroken = true; }

    std::atomic<std::thread::id> inside; ///< who is in a call
    bool isOver() const { return m_isAborted || m_isEnded; }

private:
    bool isStopped() const { return isOver() || m_all.shared->errorState == 2 || m_isBroken; }
    /// False when it is stopped meanwhile.
    template <typename Ready>
    bool waitFor(Ready ready) const;
    void compareWithOthers(std::uint64_t number) const;
    bool publish(const CollectiveCall& call);
    bool connect(const std::vector<DeviceCall>& calls);
    bool connectCollectives();
    std::unique_ptr<Transfer> transferOf(const DeviceCall& call);
    void run(std::vector<std::unique_ptr<Transfer>> transfers, const std::string& text);
    void show(const std::vector<Condition>& conditions, const std::string& text) const;
    /// The circle of ranks that it sees; `suspected` is the one that it saw before.
    std::string look(const std::vector<Condition>& conditions, const std::string& text,
                     const std::string& suspected) const;
    bool aPeerIsGone() const;

    Mapping m_mapping;
    Neighbourhood m_all;
    std::vector<int> m_processes; ///< pidfd by rank
    std::vector<std::uintptr_t> m_deviceBlocks;
    const std::thread::id m_maker = std::this_thread::get_id();
    std::uint64_t m_collectives = 0;
    std::uint64_t m_splits = 0;
    std::atomic<int> m_underWay{0};
    std::atomic<bool> m_isAborted{false}, m_isEnded{false}, m_isBroken{false};
};

} // namespace trainyard::stand_in
