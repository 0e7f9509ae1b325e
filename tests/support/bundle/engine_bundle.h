#pragma once

#include <QString>

namespace trainyard::support {

/// Puts the node executables of this build with what they need into `folder`, by packaging/bundle: about half
/// a GiB, best in memory. Gives what went wrong, or nothing.
QString bundleEngine(const QString& folder);

} // namespace trainyard::support
