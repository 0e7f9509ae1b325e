#pragma once

#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/planner/calibration/probe.h"

namespace trainyard {

/// Two-space indentation; parseProbeReport() gives the same value back.
std::string toJson(const ProbeReport& report);

/// Strict, as parseNode() is. BadInput with every field that is wrong.
Result<ProbeReport> parseProbeReport(std::string_view json);

} // namespace trainyard
