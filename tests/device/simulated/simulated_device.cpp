#include "tests/device/simulated/simulated_device.h"

#include <utility>

#include <c10/util/Exception.h>

#include "engine/base/check.h"
#include "tests/device/simulated/host_copies.h"

namespace trainyard {

namespace {

/// Devices that threads have had; a thread that ends leaves its own to the next one.
class DevicePool {
public:
    static DevicePool& instance()
    {
        static auto* const pool = new DevicePool; // threads may end after everything else
        return *pool;
    }

    SimulatedDevice& take()
    {
        const std::lock_guard lock(m_mutex);
        if (m_idle.empty())
            return m_devices.emplace_back(m_devices.size());
        SimulatedDevice& device = *m_idle.back();
        m_idle.pop_back();
        return device;
    }
    void giveBack(SimulatedDevice& device)
    {
        device.becomeIdle();
        const std::lock_guard lock(m_mutex);
        m_idle.push_back(&device);
    }

private:
    std::mutex m_mutex;
    std::deque<SimulatedDevice> m_devices;
    std::vector<SimulatedDevice*> m_idle;
};

thread_local SimulatedDevice* deviceOfThread = nullptr;

/// Keeps a device for as long as the thread lives.
class DeviceLease {
public:
    DeviceLease() : m_device(DevicePool::instance().take()) { deviceOfThread = &m_device; }
    ~DeviceLease()
    {
        deviceOfThread = nullptr;
        DevicePool::instance().giveBack(m_device);
    }
    DeviceLease(const DeviceLease&) = delete;
    DeviceLease& operator=(const DeviceLease&) = delete;

    SimulatedDevice& device() const { return m_device; }

private:
    SimulatedDevice& m_device;
};

constexpr std::size_t kStreamsOfPool = 32; // as c10::cuda has

MemoryRange rangeOf(const void* address, std::size_t bytes)
{
    const auto begin = reinterpret_cast<std::uintptr_t>(address);
    return {begin, begin + bytes};
}

} // namespace

SimulatedDevice& SimulatedDevice::current()
{
    thread_local const DeviceLease mine;
    return mine.device();
}

std::size_t SimulatedDevice::exchangeCurrentStream(std::size_t stream)
{
    TRAINYARD_CHECK(stream < m_streams.size());
    return std::exchange(m_current, stream);
}

std::size_t SimulatedDevice::streamFromPool()
{
    const std::size_t stream = kDefaultStream + 1 + m_taken++ % kStreamsOfPool;
    if (stream == m_streams.size())
        m_streams.emplace_back();
    return stream;
}

void SimulatedDevice::becomeIdle()
{
    m_current = kDefaultStream;
    for (Stream& stream : m_streams) {
        m_host.join(stream.behind);
        stream.done = {};
    }
    HostCopies::instance().forgetAll(m_number);
}

WorkStamp SimulatedDevice::begin(std::size_t stream, const char* name)
{
    Stream& on = m_streams[stream];
    on.behind.join(m_host);
    return {stream, on.behind.tick(stream), name};
}

void SimulatedDevice::note(const WorkStamp& work, MemoryRange range, MemoryAccess access)
{
    const MemoryBlock block = SimulatedMemory::instance().blockAt(range.begin);
    TORCH_CHECK(!block.isFree, work.name, " uses memory that was freed: ", block.bytes, " bytes, made by ",
                block.madeBy);
    TORCH_CHECK(range.end <= reinterpret_cast<std::uintptr_t>(block.begin) + block.room, work.name,
                " goes beyond its memory: ", block.bytes, " bytes, made by ", block.madeBy);
    TORCH_CHECK(block.device == m_number || SimulatedMemory::instance().isPinned(block.begin), work.name,
                " of device ", m_number, " uses memory of device ", block.device, ", made by ", block.madeBy);
    SimulatedMemory::instance().note(work, m_streams[work.stream].behind, range, access);
}

void SimulatedDevice::endsWith(std::size_t stream, std::shared_future<void> done)
{
    m_streams[stream].done = std::move(done);
}

SimulatedEvent SimulatedDevice::record(std::size_t stream) const
{
    return {m_number, m_streams[stream].behind, m_streams[stream].done, std::chrono::steady_clock::now()};
}

void SimulatedDevice::wait(std::size_t stream, const SimulatedEvent& event)
{
    m_streams[stream].behind.join(event.behind);
    // Later work of the stream runs on this thread, at once.
    if (event.done.valid())
        event.done.get();
}

bool SimulatedDevice::query(const SimulatedEvent& event)
{
    if (!event.isDone())
        return false;
    if (deviceOfThread && deviceOfThread->m_number == event.device)
        deviceOfThread->synchronize(event);
    return true;
}

void SimulatedDevice::synchronize(const SimulatedEvent& event)
{
    if (event.done.valid())
        event.done.get();
    m_host.join(event.behind);
    HostCopies::instance().finish(m_number, m_host);
}

void SimulatedDevice::synchronizeAll()
{
    for (std::size_t stream = 0; stream < m_streams.size(); ++stream)
        synchronizeStream(stream);
}

void* SimulatedWork::use(const void* guarded, std::size_t bytes, MemoryAccess access)
{
    if (!guarded || bytes == 0)
        return nullptr;
    const MemoryRange range = rangeOf(guarded, bytes);
    m_device.note(m_stamp, range, access);
    return SimulatedMemory::instance().executors(range.begin);
}

void SimulatedWork::keepFromHost(const void* pinned, std::size_t bytes, MemoryAccess access)
{
    if (bytes > 0)
        HostCopies::instance().begin(m_device.number(), m_stamp, rangeOf(pinned, bytes), access);
}

} // namespace trainyard
