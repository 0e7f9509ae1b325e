#pragma once

#include <string>
#include <string_view>

#include "tests/support/link/relay.h"

namespace trainyard::link {

/// The words in which the link tool is spoken to: one line in, one line out.
///
///     set both|to-host|from-host <conditions>   ok                conditions not named become a cable's
///     counters                                  {"to_host":{"frames":…},"from_host":{…}}
///     anything else                             error: <why>
std::string obey(std::string_view line, Relay& toHost, Relay& fromHost);

} // namespace trainyard::link
