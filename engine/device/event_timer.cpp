#include "engine/device/event_timer.h"

#include <c10/core/Event.h>
#include <c10/core/impl/VirtualGuardImpl.h>

namespace trainyard {

namespace {

class EventMark final : public DeviceMark {
public:
    explicit EventMark(c10::Device device) : m_event(device.type(), c10::EventFlag::BACKEND_DEFAULT)
    {
        m_event.record(c10::impl::VirtualGuardImpl(device.type()).getStream(device));
    }

    bool isReached() const override { return m_event.query(); }
    void wait() const override { m_event.synchronize(); }
    double secondsSince(const DeviceMark& earlier) const override
    {
        return static_cast<const EventMark&>(earlier).m_event.elapsedTime(m_event) * 1e-3;
    }

private:
    c10::Event m_event; // of the kind that knows its time
};

} // namespace

std::unique_ptr<DeviceMark> EventTimer::mark()
{
    return std::make_unique<EventMark>(m_device);
}

} // namespace trainyard
