#pragma once

#include <string>

#include "engine/base/result.h"

namespace trainyard {

/// Selection and format of `trainyard runs`.
struct RunListOptions {
    std::string search;    ///< see RunQuery
    bool recorded = false; ///< as they were last recorded here; no host is asked
    bool json = false;
    bool csv = false; ///< see runListCsv(); trainings and imports alone
};

/// Prints them, newest first.
Status printRuns(const RunListOptions& options);

} // namespace trainyard
