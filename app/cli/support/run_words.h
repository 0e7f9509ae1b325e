#pragma once

#include <QString>

#include "engine/records/record.h"

namespace trainyard {

/// A state as it follows "the run": "is running", "has finished", "failed", "was stopped".
QString wordsFor(RunState state);

} // namespace trainyard
