#pragma once

#include <QString>

#include "engine/base/result.h"

namespace trainyard {

/// Asks on the terminal whether to remove `what`, "wiki-128 from gpu-03". Cancelled unless the answer is yes;
/// Refused without a terminal, with --yes as the hint.
Status confirmRemoval(const QString& what);

} // namespace trainyard
