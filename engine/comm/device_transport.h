#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "engine/base/ids.h"
#include "engine/comm/float_span.h"
#include "engine/comm/transport.h"

namespace trainyard {

/// What the ranks of a group do with their devices' memory: what is connected when the group is made.
enum class DeviceTraffic : std::uint8_t {
    Collectives, ///< of all of them
    Messages,    ///< of two of them, from the first one to the second one
    Ring,        ///< shifts
    Exchange,    ///< all-to-alls
};

/// A collective that a device was given. Any thread may call anything.
class DeviceWork {
public:
    virtual ~DeviceWork() = default;

    /// Orders the calling thread's later device work after the collective. Returns immediately.
    virtual void wait() = 0;
    /// Whether the device has finished it. Throws when it never will: CommunicationError when its group is
    /// broken, the device's own exception when the device is.
    virtual bool isDone() = 0;
};

/// How the ranks of one group reach each other's devices: the seam for NCCL. The device works on each
/// collective behind everything that the calling thread gave it before the call, and beside what comes after;
/// memory stays as it is until the work was waited for. Calls do not wait for the device, but the first one
/// of its kind may wait on the host until all ranks are connected, and so may the destructor: who calls has
/// the CollectiveWatchdog watch. All ranks make the same calls in the same order, from one thread, and
/// destroy their transports in an order in which none waits for another one for ever. Throws
/// CommunicationError.
class DeviceTransport {
public:
    using Pending = std::shared_ptr<DeviceWork>;

    virtual ~DeviceTransport() = default;

    /// Whether memory lies on this rank's device; other memory is the host transport's.
    virtual bool reaches(const void* memory) const = 0;

    // As those of Transport.
    virtual Pending allReduce(FloatSpan values, ReduceOp op) = 0;
    virtual Pending broadcast(std::span<std::byte> bytes, Rank root) = 0;
    virtual Pending allGather(std::span<std::byte> all) = 0;
    virtual Pending reduceScatter(FloatSpan values) = 0;
    /// Copies `bytes`, so the work need not be waited for. A device sends and receives a group's messages one
    /// behind the other, so each group carries them one way; rank 0 sends.
    virtual Pending send(std::span<const std::byte> bytes, Rank to) = 0;
    virtual Pending receive(std::span<std::byte> bytes, Rank from) = 0;
    virtual Pending shift(std::span<const std::byte> out, std::span<std::byte> in) = 0;
    virtual Pending allToAll(std::span<const std::byte> out, const BytesByRank& outSizes,
                             std::span<std::byte> in, const BytesByRank& inSizes) = 0;
};

} // namespace trainyard
