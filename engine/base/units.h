#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace trainyard {

/// Memory in bytes. Shown in binary units (1 GiB = 2^30 bytes), as everywhere in Trainyard.
using Bytes = std::uint64_t;

constexpr Bytes kKiB = Bytes{1} << 10;
constexpr Bytes kMiB = Bytes{1} << 20;
constexpr Bytes kGiB = Bytes{1} << 30;

/// "27.4 GiB": three significant digits.
std::string formatBytes(Bytes bytes);
/// "512 B", "25 MiB", "1.5 GiB". A bare number or a decimal unit (GB) is an error that names the accepted
/// units.
Result<Bytes> parseBytes(std::string_view text);

/// "850 ms", "12 s", "3 min 20 s", "2 h 5 min".
std::string formatDuration(std::chrono::milliseconds duration);
/// "500 ms", "15 s", "10 min", "2 h".
Result<std::chrono::milliseconds> parseDuration(std::string_view text);

/// Three significant digits, thousands separated by a thin gap: "3 660", "0.0128", "27.4".
std::string formatNumber(double value);

} // namespace trainyard
