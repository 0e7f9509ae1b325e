#pragma once

#include <string>

namespace trainyard {

/// Returns the name that this machine gives itself; "this host" when it has none.
std::string hostName();

} // namespace trainyard
