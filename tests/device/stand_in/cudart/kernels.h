#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tests/device/stand_in/cudart/access_order.h"

namespace trainyard::stand_in {

/// What one launch of a kernel does.
struct KernelWork {
    std::vector<Access> accesses;
    std::function<void()> run; ///< through the device's view of the memory
};

/// The work of a kernel by its demangled name, with its arguments as a launch has them; nothing if it is not
/// one of those that have a host version.
std::optional<KernelWork> hostVersion(const std::string& kernel, void** arguments);

} // namespace trainyard::stand_in
