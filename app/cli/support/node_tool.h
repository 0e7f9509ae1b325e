#pragma once

#include <string>
#include <vector>

namespace trainyard {

/// Turns this process into a node executable of this machine (in TRAINYARD_BIN or beside this program), so
/// that its output, its signals and its exit status are the command's own. Returns only when it could not be
/// started.
int becomeNodeTool(const std::string& program, const std::vector<std::string>& arguments);

} // namespace trainyard
