#include "tests/device/stand_in/cudart/device.h"

#include <algorithm>

#include "tests/device/stand_in/cudart/findings.h"

namespace trainyard::stand_in {

namespace {

/// cudaStreamLegacy, the default stream by another name.
void* const kLegacyStream = reinterpret_cast<void*>(0x1);

} // namespace

void Device::launch(Stream& stream, const std::string& operation, std::vector<Access> accesses,
                    std::function<void()> task)
{
    std::erase_if(accesses, [this](const Access& access) { return !memory.contains(access.start); });
    order.add(stream.number(), operation, accesses);
    stream.add(std::move(task));
}

Stream* Device::makeStream()
{
    const std::lock_guard lock(m_mutex);
    if (m_streams.empty())
        m_streams.push_back(std::make_unique<Stream>(0)); // the default stream
    m_streams.push_back(std::make_unique<Stream>(m_streams.size()));
    return m_streams.back().get();
}

void Device::endStream(Stream* stream)
{
    std::unique_ptr<Stream> ending;
    {
        const std::lock_guard lock(m_mutex);
        ending = std::move(m_streams[stream->number()]);
    }
}

Stream& Device::streamOf(void* handle)
{
    if (handle && handle != kLegacyStream)
        return *static_cast<Stream*>(handle);
    const std::lock_guard lock(m_mutex);
    if (m_streams.empty())
        m_streams.push_back(std::make_unique<Stream>(0));
    return *m_streams.front();
}

void Device::finish(Stream& stream)
{
    const AccessOrder::Clock before = order.of(stream.number());
    stream.finish();
    order.hostWaited(before);
}

void Device::finishAll()
{
    const AccessOrder::Clock before = order.ofAll();
    std::vector<Stream*> streams;
    {
        const std::lock_guard lock(m_mutex);
        for (const auto& stream : m_streams) {
            if (stream)
                streams.push_back(stream.get());
        }
    }
    for (Stream* const stream : streams)
        stream->finish();
    order.hostWaited(before);
}

Device& device()
{
    static Device* const device = new Device;
    return *device;
}

} // namespace trainyard::stand_in
