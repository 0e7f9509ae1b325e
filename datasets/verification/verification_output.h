#pragma once

#include <string>

#include "datasets/verification/verification.h"

namespace trainyard {

/// One JSON document.
std::string toJson(const VerificationReport& report);
/// For a person at a terminal.
std::string toText(const VerificationReport& report);

} // namespace trainyard
