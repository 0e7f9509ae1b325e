#pragma once

#include <chrono>

namespace trainyard {

// When a rank is lost.
constexpr const char* kBeforeInit = "before the communicator";
constexpr const char* kBeforeFirst = "before the first all-reduce";
constexpr const char* kMidway = "midway";
constexpr const char* kNever = "never";

/// Of a collective, in ranks that lose one.
constexpr std::chrono::seconds kFaultDeadline{10};

} // namespace trainyard
