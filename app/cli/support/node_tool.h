#pragma once

#include <string>
#include <vector>

namespace trainyard {

/// Replaces this process by a node program of this machine (in TRAINYARD_BIN, else next to this program), so
/// that its output, signals and exit status are the command's. Returns only if it cannot be started.
int becomeNodeTool(const std::string& program, const std::vector<std::string>& arguments);

} // namespace trainyard
