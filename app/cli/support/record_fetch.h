#pragma once

#include <QStringList>

#include "engine/base/result.h"

namespace trainyard {

/// Fetches the missing records of runs whose end is not recorded on this computer, because they may have been
/// followed by nobody. Warns about records that do not arrive in time; those on this computer are used then.
/// Ignores imported and unknown runs. Cancelled by Ctrl+C.
Status fetchRecords(const QStringList& runIds);

} // namespace trainyard
