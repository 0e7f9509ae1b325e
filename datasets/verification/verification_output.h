#pragma once

#include <string>

#include "datasets/verification/verification.h"

namespace trainyard {

/// Formats the report as one JSON document.
std::string toJson(const VerificationReport& report);
/// Formats the report for a terminal.
std::string toText(const VerificationReport& report);

} // namespace trainyard
