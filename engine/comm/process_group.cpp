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
    if (m_device) {
        const CollectiveWatchdog::Call closing(*m_watchdog, fmt::format("closing group {}", m_parts.number));
        m_device.reset();
    }
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
    const std::string name = fmt::format("{} {} of group {}", nameOf(kind), sequence, m_parts.number);
    CollectiveWatchdog::Call call(*m_watchdog, name);
    std::shared_ptr<DeviceWork> work;
    try {
        work = collective(*m_device);
    } catch (const CommunicationError& error) {
        throw CommunicationError(fmt::format("{} failed: {}", name, error.what()));
    }
    call.handedOver(work, [recorder, ticket] {
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

template <typename Collective>
Work ProcessGroup::startWhere(const void* memory, CollectiveKind kind, std::size_t bytes,
                              Collective collective)
{
    if (onDevice(memory))
        return startOnDevice(kind, bytes, collective);
    return start(kind, bytes, [transport = m_parts.transport.get(), collective] { collective(*transport); });
}

Work ProcessGroup::allReduceAsync(FloatSpan values, ReduceOp op)
{
    return startWhere(values.data, CollectiveKind::AllReduce, values.bytes(),
                      [values, op](auto& transport) { return transport.allReduce(values, op); });
}

void ProcessGroup::allReduce(FloatSpan values, ReduceOp op)
{
    allReduceAsync(values, op).wait();
}

void ProcessGroup::broadcast(std::span<std::byte> bytes, Rank root)
{
    startWhere(bytes.data(), CollectiveKind::Broadcast, bytes.size(), [bytes, root](auto& transport) {
        return transport.broadcast(bytes, root);
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
    return startWhere(all.data(), CollectiveKind::AllGather, all.size(),
                      [all](auto& transport) { return transport.allGather(all); });
}

Work ProcessGroup::reduceScatterAsync(FloatSpan values)
{
    return startWhere(values.data, CollectiveKind::ReduceScatter, values.bytes(),
                      [values](auto& transport) { return transport.reduceScatter(values); });
}

// The sender of device memory does not wait: its device would stand still until the receiver comes.
void ProcessGroup::send(std::span<const std::byte> bytes, Rank to)
{
    Work work = startWhere(bytes.data(), CollectiveKind::Message, bytes.size(),
                           [bytes, to](auto& transport) { return transport.send(bytes, to); });
    if (!onDevice(bytes.data()))
        work.wait();
}

void ProcessGroup::receive(std::span<std::byte> bytes, Rank from)
{
    startWhere(bytes.data(), CollectiveKind::Message, bytes.size(), [bytes, from](auto& transport) {
        return transport.receive(bytes, from);
    }).wait();
}

bool ProcessGroup::tryReceive(std::span<std::byte> bytes, Rank from)
{
    TRAINYARD_CHECK(m_parts.recorder == nullptr);
    bool arrived = false;
    start(CollectiveKind::Message, bytes.size(), [&] {
        arrived = m_parts.transport->tryReceive(bytes, from);
    }).wait();
    return arrived;
}

Work ProcessGroup::shiftAsync(std::span<const std::byte> out, std::span<std::byte> in)
{
    return startWhere(out.data(), CollectiveKind::Message, out.size(),
                      [out, in](auto& transport) { return transport.shift(out, in); });
}

void ProcessGroup::allToAll(std::span<const std::byte> out, const BytesByRank& outSizes,
                            std::span<std::byte> in, const BytesByRank& inSizes)
{
    startWhere(in.data(), CollectiveKind::AllToAll, out.size(), [&](auto& transport) {
        return transport.allToAll(out, outSizes, in, inSizes);
    }).wait();
}

} // namespace trainyard
