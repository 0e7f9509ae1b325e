#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace trainyard::agent {

/// Which GPUs the ranks on a node need.
struct DeviceNeed {
    int ranks = 0;                      ///< that take a GPU each; 0 = they choose by themselves
    std::vector<std::string> devices{}; ///< that they may take (engine/spec/device_name.h); empty = any

    bool operator==(const DeviceNeed&) const = default;
};

/// "2:0+GPU-5f2a", or "2" for any; of several nodes joined by commas: one word of a command line, for a shell
/// too.
std::string textOf(const std::vector<DeviceNeed>& nodes);
/// BadInput for anything else.
Result<std::vector<DeviceNeed>> parseDeviceNeeds(std::string_view text);

/// Returns which of an MPI launcher's daemons this is, from its command line: 1 = on the first node behind
/// the head. 0 where it does not tell.
std::size_t daemonNumber(const std::vector<std::string>& command);

} // namespace trainyard::agent
