#pragma once

#include "engine/base/result.h"
#include "remote/target/questions.h"

namespace trainyard {

/// Takes the old keys out of the user's known_hosts, after a person has said so: the next connection asks
/// about the new key like that of a host that was never seen. Refused, with nothing changed, when
/// another file than the user's own has an old key too, or a pattern in one of them names the host. Waits up
/// to 10 s for other programs that write the file: not for the GUI thread.
Status removeOldKeys(const HostKeyChange& change);

} // namespace trainyard
