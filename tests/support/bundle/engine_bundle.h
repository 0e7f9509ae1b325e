#pragma once

#include <QString>

namespace trainyard::support {

/// Puts the node executables of this build with what they need into `folder`, by packaging/bundle: about half
/// a GiB, best in memory. Under ctest it is a link to the bundle that the fixture engine_bundle makes once for
/// all tests that require it. Returns what went wrong; empty on success.
QString bundleEngine(const QString& folder);

} // namespace trainyard::support
