#pragma once

#include <string>

#include "engine/comm/process_group.h"
#include "engine/device/device_session.h"

namespace trainyard {

/// What one rank of a scenario has.
struct Scenario {
    const GpuPlugin& plugin;
    DeviceSession& session;
    ProcessGroup& world; ///< reaches the devices

    int rank() const { return world.rank().value; }
    int size() const { return world.size().value; }
    at::TensorOptions onDevice(at::ScalarType type = at::kFloat) const
    {
        return at::TensorOptions().dtype(type).device(session.device().place);
    }
};

/// Ends the process with a message and status 1 when a scenario finds something wrong.
void expect(bool holds, const std::string& what);

/// Plays the scenario of this name; false when there is none.
bool play(const std::string& name, const Scenario& scenario);

} // namespace trainyard
