#include "engine/comm/process_group.h"

#include <fmt/format.h>

#include "engine/comm/collective_watchdog.h"
#include "engine/comm/communication_thread.h"
#include "engine/comm/device_transport.h"
#include "engine/comm/flight_recorder.h"

namespace trainyard {

ProcessGroup::ProcessGroup(Parts parts) : m_parts(std::move(parts))
{
    TRAINYARD_CHECK(m_parts.transport != nullptr);
}

ProcessGroup::~ProcessGroup()
{
    // The transport ends where it was used, after everything that is still under way.
    if (m_parts.thread)
        m_parts.thread->run([transport = std::shared_ptr<Transport>(std::move(m_parts.transport))] {});
}

Rank ProcessGroup::rank() const
{
    return m_parts.transport->rank();
}

WorldSize ProcessGroup::size() const
{
    return m_parts.transport->size();
}

template <typename Collective>
Work ProcessGroup::start(CollectiveKind kind, std::size_t bytes, Collective collective)
{
    FlightRecorder* const recorder = m_parts.recorder;
    const std::uint64_t ticket = recorder ? recorder->enter(m_parts.number, ++m_sequence, kind, bytes) : 0;
    auto recorded = [recorder, ticket, collective = std::move(collective)] {
        collective();
        if (recorder)
            recorder->leave(ticket);
    };
    if (m_parts.thread)
        return Work(m_parts.thread->run(std::move(recorded)));
    recorded();
    return {};
}

bool ProcessGroup::onDevice(const void* memory) const
{
    return m_device && m_device->reaches(memory);
}

template <typename Collective>
Work ProcessGroup::startOnDevice(CollectiveKind kind, std::size_t bytes, Collective collective)
{
    FlightRecorder* const recorder = m_parts.recorder;
    const std::uint64_t sequence = ++m_sequence;
    const std::uint64_t ticket = recorder ? recorder->enter(m_parts.number, sequence, kind, bytes) : 0;
    std::shared_ptr<DeviceWork> work = collective(*m_device);
    m_watchdog->watch(work, fmt::format("{} {} of group {}", nameOf(kind), sequence, m_parts.number),
                      [recorder, ticket] {
                          if (recorder)
                              recorder->leave(ticket);
                      });
    return Work(std::move(work));
}

void ProcessGroup::attachDevice(std::unique_ptr<DeviceTransport> transport, CollectiveWatchdog& watchdog)
{
    m_device = std::move(transport);
    m_watchdog = &watchdog;
}

Work ProcessGroup::allReduceAsync(FloatSpan values, ReduceOp op)
{
    if (onDevice(values.data))
        return startOnDevice(CollectiveKind::AllReduce, values.bytes(),
                             [&](DeviceTransport& device) { return device.allReduce(values, op); });
    return start(CollectiveKind::AllReduce, values.bytes(),
                 [transport = m_parts.transport.get(), values, op] { transport->allReduce(values, op); });
}

void ProcessGroup::allReduce(FloatSpan values, ReduceOp op)
{
    allReduceAsync(values, op).wait();
}

void ProcessGroup::broadcast(std::span<std::byte> bytes, Rank root)
{
    if (onDevice(bytes.data()))
        return startOnDevice(CollectiveKind::Broadcast, bytes.size(),
                             [&](DeviceTransport& device) { return device.broadcast(bytes, root); })
            .wait();
    start(CollectiveKind::Broadcast, bytes.size(), [this, bytes, root] {
        m_parts.transport->broadcast(bytes, root);
    }).wait();
}

std::string ProcessGroup::broadcastText(std::string text, Rank root)
{
    std::uint64_t size = text.size();
    broadcast(std::as_writable_bytes(std::span(&size, 1)), root);
    text.resize(size);
    broadcast(std::as_writable_bytes(std::span(text)), root);
    return text;
}

std::vector<std::string> ProcessGroup::gather(std::string_view bytes)
{
    std::vector<std::string> gathered;
    start(CollectiveKind::Gather, bytes.size(), [&] { gathered = m_parts.transport->gather(bytes); }).wait();
    return gathered;
}

void ProcessGroup::barrier()
{
    start(CollectiveKind::Barrier, 0, [this] { m_parts.transport->barrier(); }).wait();
}

Work ProcessGroup::allGatherAsync(std::span<std::byte> all)
{
    if (onDevice(all.data()))
        return startOnDevice(CollectiveKind::AllGather, all.size(),
                             [&](DeviceTransport& device) { return device.allGather(all); });
    return start(CollectiveKind::AllGather, all.size(),
                 [transport = m_parts.transport.get(), all] { transport->allGather(all); });
}

Work ProcessGroup::reduceScatterAsync(FloatSpan values)
{
    if (onDevice(values.data))
        return startOnDevice(CollectiveKind::ReduceScatter, values.bytes(),
                             [&](DeviceTransport& device) { return device.reduceScatter(values); });
    return start(CollectiveKind::ReduceScatter, values.bytes(),
                 [transport = m_parts.transport.get(), values] { transport->reduceScatter(values); });
}

// The sender of device memory does not wait: its device would stand still until the receiver comes.
void ProcessGroup::send(std::span<const std::byte> bytes, Rank to)
{
    if (onDevice(bytes.data())) {
        startOnDevice(CollectiveKind::Message, bytes.size(),
                      [&](DeviceTransport& device) { return device.send(bytes, to); });
        return;
    }
    start(CollectiveKind::Message, bytes.size(), [&] { m_parts.transport->send(bytes, to); }).wait();
}

void ProcessGroup::receive(std::span<std::byte> bytes, Rank from)
{
    if (onDevice(bytes.data()))
        return startOnDevice(CollectiveKind::Message, bytes.size(),
                             [&](DeviceTransport& device) { return device.receive(bytes, from); })
            .wait();
    start(CollectiveKind::Message, bytes.size(), [&] { m_parts.transport->receive(bytes, from); }).wait();
}

Work ProcessGroup::shiftAsync(std::span<const std::byte> out, std::span<std::byte> in)
{
    if (onDevice(out.data()))
        return startOnDevice(CollectiveKind::Message, out.size(),
                             [&](DeviceTransport& device) { return device.shift(out, in); });
    return start(CollectiveKind::Message, out.size(),
                 [transport = m_parts.transport.get(), out, in] { transport->shift(out, in); });
}

} // namespace trainyard
