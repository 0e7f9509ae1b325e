#pragma once

#include "engine/base/result.h"
#include "remote/target/questions.h"

namespace trainyard {

/// Removes the old keys from the user's known_hosts after a person has agreed: the next connection asks about
/// the new key as for an unknown host. Refused, with nothing changed, when a file other than the user's own
/// has an old key too, or a pattern in one of them names the host. Waits up to 10 s for other programs that
/// write the file: not for the GUI thread.
Status removeOldKeys(const HostKeyChange& change);

} // namespace trainyard
