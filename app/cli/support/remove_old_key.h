#pragma once

#include <QString>

namespace trainyard {

/// `trainyard hosts remove-old-key HOST`: where the host, or one on the way there, shows another key than it
/// is known by, shows both and removes the old one once the person at the terminal has typed the host's name.
/// Without a terminal nothing is removed. The exit status.
int removeOldKey(const QString& host);

} // namespace trainyard
