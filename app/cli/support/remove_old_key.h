#pragma once

#include <QString>

#include "engine/base/result.h"

namespace trainyard {

/// `trainyard hosts remove-old-key HOST`: if the host, or one on the way there, presents another key than the
/// one on record, shows both and removes the old one after the user has typed the host's name. Without a
/// terminal it removes nothing.
Status removeOldKey(const QString& host);

} // namespace trainyard
