#pragma once

#include <QStringList>

#include "engine/base/result.h"

namespace trainyard {

/// Brings the records that this desk has of these runs up to what their hosts have, where they do not tell
/// the run's end: nobody may have followed it. What cannot be had within a while is told as a warning, and
/// what is here is used. Runs of others, and what is no run, are left alone. Cancelled by Ctrl+C.
Status fetchRecords(const QStringList& runIds);

} // namespace trainyard
