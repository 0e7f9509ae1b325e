#pragma once

#include <QString>

namespace trainyard {

/// `<utc time>-<name>-<4 hex digits>`: sorts by time, says what it is, and does not collide.
QString makeRunId(const QString& name);

} // namespace trainyard
