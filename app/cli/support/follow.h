#pragma once

#include <QString>

#include "app/cli/support/desk.h"

namespace trainyard {

/// Follows a run until it ends, one line per step or stage, and gives the exit status: 0 finished, 5 failed,
/// 130 stopped. What its streams say is told in order of time; what an attempt before the newest one said is
/// left out. Ctrl+C ends only the watching; the run goes on.
int followRun(Desk& desk, const QString& runId);

} // namespace trainyard
