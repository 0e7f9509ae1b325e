#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "tests/device/stand_in/cudart/access_order.h"
#include "tests/device/stand_in/cudart/device_memory.h"
#include "tests/device/stand_in/cudart/stream.h"

namespace trainyard::stand_in {

/// The one device that a process sees, behind libcudart's interface and NCCL's. Any thread.
class Device {
public:
    DeviceMemory memory;
    AccessOrder order;

    /// The calling thread gives a stream an operation that touches this memory of the device; what lies
    /// elsewhere does not count.
    void launch(Stream& stream, const std::string& operation, std::vector<Access> accesses,
                std::function<void()> task);

    Stream* makeStream();
    void endStream(Stream* stream);
    /// The stream of a handle of CUDA; null is the default stream.
    Stream& streamOf(void* handle);
    /// The calling thread waits for one stream, or for all.
    void finish(Stream& stream);
    void finishAll();

private:
    std::mutex m_mutex;
    std::vector<std::unique_ptr<Stream>> m_streams; // by number; null where one has ended
};

/// Lives until the process ends, with its threads.
Device& device();

} // namespace trainyard::stand_in
