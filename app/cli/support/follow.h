#pragma once

#include <QString>

#include "app/cli/support/desk.h"
#include "engine/records/record.h"

namespace trainyard {

/// Follows a run until it ends, one line per step or stage, and returns the exit status: 0 finished, 5
/// failed, 130 stopped. Prints the records of all streams in order of time, and skips those of earlier
/// attempts. Ctrl+C only detaches; the run continues.
Result<int> followRun(Desk& desk, const QString& runId);

/// A state as it follows "the run": "is running", "has finished", "failed", "was stopped".
QString wordsFor(RunState state);

} // namespace trainyard
