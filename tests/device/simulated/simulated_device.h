#pragma once

#include <chrono>
#include <deque>
#include <future>
#include <memory>
#include <mutex>
#include <vector>

#include "tests/device/simulated/order/access_history.h"
#include "tests/device/simulated/simulated_memory.h"

namespace trainyard {

/// A moment on a stream, which other streams and the host can wait for.
struct SimulatedEvent {
    std::size_t device = 0;        ///< whose stream it is on
    VectorClock behind;            ///< the work that the moment comes after
    std::shared_future<void> done; ///< of work that other ranks take part in; invalid: all is done
    std::chrono::steady_clock::time_point time{};

    bool isDone() const
    {
        return !done.valid() || done.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
    }
};

/// The device of one rank, where a rank is a thread: streams of work in memory of its own. Work runs at once,
/// in the order in which the rank gives it, on the thread that gives it; collectives run beside it. Whether a
/// real device, whose streams run beside each other and beside the host, would have had to come to the same
/// result is shown by vector clocks: each piece of work must be ordered behind those that wrote what it reads
/// and behind those that read or wrote what it writes. Where it is not, the call throws c10::Error.
///
/// Used by the thread whose device it is; several threads at once have several devices.
class SimulatedDevice {
public:
    /// Of the calling thread, from its first call until it ends.
    static SimulatedDevice& current();

    explicit SimulatedDevice(std::size_t number) : m_number(number), m_streams(1) {}
    SimulatedDevice(const SimulatedDevice&) = delete;
    SimulatedDevice& operator=(const SimulatedDevice&) = delete;

    std::size_t number() const { return m_number; }

    static constexpr std::size_t kDefaultStream = 0;
    std::size_t currentStream() const { return m_current; }
    std::size_t exchangeCurrentStream(std::size_t stream);
    /// One of the pool's, which come round again.
    std::size_t streamFromPool();

    /// Begins a piece of work on the stream, behind all that the host has waited for.
    WorkStamp begin(std::size_t stream, const char* name);
    /// Notes that it reads or writes memory. Throws c10::Error when it must not yet, or when the memory is
    /// free or of another device.
    void note(const WorkStamp& work, MemoryRange range, MemoryAccess access);
    /// What the stream was given last ends when `done` does.
    void endsWith(std::size_t stream, std::shared_future<void> done);

    SimulatedEvent record(std::size_t stream) const;
    /// What the stream is given from now on comes after the event.
    void wait(std::size_t stream, const SimulatedEvent& event);

    /// Whether the event has come. Then the host knows, where the thread that asks is the device's own.
    static bool query(const SimulatedEvent& event);
    // The host waits. Throws c10::Error when pinned memory was changed while a copy from it was under way.
    void synchronize(const SimulatedEvent& event);
    void synchronizeStream(std::size_t stream) { synchronize(record(stream)); }
    void synchronizeAll();

    /// The thread has ended; the next one finds the device idle.
    void becomeIdle();

private:
    struct Stream {
        VectorClock behind;
        std::shared_future<void> done;
    };

    const std::size_t m_number;
    std::size_t m_current = kDefaultStream;
    std::deque<Stream> m_streams; // the default one, and the pool's
    std::size_t m_taken = 0;      // of the pool, ever
    VectorClock m_host;           // what the host has waited for
};

/// One piece of work of the calling thread's device: names its operands, and gets the addresses at which the
/// executor finds them.
class SimulatedWork {
public:
    explicit SimulatedWork(const char* name) : SimulatedWork(name, SimulatedDevice::current().currentStream())
    {
    }
    SimulatedWork(const char* name, std::size_t stream)
        : m_device(SimulatedDevice::current()), m_stamp(m_device.begin(stream, name))
    {
    }

    template <typename T>
    const T* reads(const T* guarded, std::size_t count)
    {
        return static_cast<const T*>(use(guarded, count * sizeof(T), MemoryAccess::Read));
    }
    template <typename T>
    T* writes(T* guarded, std::size_t count)
    {
        return static_cast<T*>(use(guarded, count * sizeof(T), MemoryAccess::Write));
    }
    /// Any bytes; null stays null.
    void* use(const void* guarded, std::size_t bytes, MemoryAccess access);
    /// Pinned memory that the work uses, which the host leaves alone until it has waited for it.
    void keepFromHost(const void* pinned, std::size_t bytes, MemoryAccess access);

private:
    SimulatedDevice& m_device;
    WorkStamp m_stamp;
};

} // namespace trainyard
