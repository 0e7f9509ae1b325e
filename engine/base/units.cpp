#include "engine/base/units.h"

#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>

#include <fmt/format.h>

namespace trainyard {

namespace {

struct Unit {
    std::string_view name;
    double factor;
};

constexpr std::array<Unit, 5> kByteUnits{
    {{"B", 1.0}, {"KiB", 1024.0}, {"MiB", 1048576.0}, {"GiB", 1073741824.0}, {"TiB", 1099511627776.0}}};
constexpr std::array<Unit, 4> kTimeUnits{{{"ms", 1.0}, {"s", 1e3}, {"min", 6e4}, {"h", 3.6e6}}};

std::string threeDigits(double value)
{
    const double size = std::fabs(value);
    if (size >= 99.95)
        return fmt::format("{:.0f}", value);
    return fmt::format("{:.{}f}", value, size >= 9.995 ? 1 : 2);
}

/// Splits "1.5 GiB" into its number and unit; the unit is empty when there is none.
Result<std::pair<double, std::string>> splitQuantity(std::string_view text)
{
    const std::string copy(text);
    char* end = nullptr;
    const double number = std::strtod(copy.c_str(), &end);
    if (end == copy.c_str() || !std::isfinite(number) || number < 0)
        return badInput(fmt::format("\"{}\" is not a quantity", text), "write a number and a unit");
    std::string_view rest = std::string_view(copy).substr(static_cast<std::size_t>(end - copy.c_str()));
    while (!rest.empty() && rest.front() == ' ')
        rest.remove_prefix(1);
    return std::make_pair(number, std::string(rest));
}

template <std::size_t N>
Result<double> parseQuantity(std::string_view text, const std::array<Unit, N>& units, const char* accepted)
{
    TRAINYARD_TRY(const auto parts, splitQuantity(text));
    for (const Unit& unit : units) {
        if (unit.name == parts.second)
            return parts.first * unit.factor;
    }
    if (parts.second.empty())
        return badInput(fmt::format("\"{}\" has no unit", text), accepted);
    return badInput(fmt::format("\"{}\" has the unknown unit \"{}\"", text, parts.second), accepted);
}

} // namespace

std::string formatBytes(Bytes bytes)
{
    if (bytes < 1024)
        return fmt::format("{} B", bytes);
    std::size_t unit = 0;
    double value = static_cast<double>(bytes);
    while (value >= 1023.5 && unit + 1 < kByteUnits.size()) {
        value /= 1024.0;
        ++unit;
    }
    return threeDigits(value) + " " + std::string(kByteUnits[unit].name);
}

Result<Bytes> parseBytes(std::string_view text)
{
    TRAINYARD_TRY(
        const double bytes,
        parseQuantity(text, kByteUnits, "use B, KiB, MiB, GiB or TiB (1 GiB = 2^30 bytes), e.g. \"25 MiB\""));
    if (bytes >= 9.2e18)
        return badInput(fmt::format("\"{}\" is too large", text));
    return static_cast<Bytes>(std::llround(bytes));
}

std::string formatDuration(std::chrono::milliseconds duration)
{
    const auto ms = duration.count();
    if (ms < 1000)
        return fmt::format("{} ms", ms);
    if (ms < 60'000)
        return fmt::format("{} s", threeDigits(static_cast<double>(ms) / 1e3));
    const auto seconds = (ms + 500) / 1000;
    if (seconds < 3600)
        return fmt::format("{} min {} s", seconds / 60, seconds % 60);
    return fmt::format("{} h {} min", seconds / 3600, seconds % 3600 / 60);
}

Result<std::chrono::milliseconds> parseDuration(std::string_view text)
{
    TRAINYARD_TRY(const double ms, parseQuantity(text, kTimeUnits, "use ms, s, min or h, e.g. \"15 s\""));
    if (ms > 3.2e13)
        return badInput(fmt::format("\"{}\" is too long", text));
    return std::chrono::milliseconds(std::llround(ms));
}

std::string formatNumber(double value)
{
    if (!std::isfinite(value))
        return std::isnan(value) ? "NaN" : value > 0 ? "inf" : "-inf";
    const double size = std::fabs(value);
    if (size != 0 && (size < 1e-3 || size >= 1e15))
        return fmt::format("{:.2e}", value);
    if (size < 1000)
        return fmt::format("{:.3g}", value);
    std::string digits = fmt::format("{:.0f}", value);
    for (int at = static_cast<int>(digits.size()) - 3; at > (value < 0 ? 1 : 0); at -= 3)
        digits.insert(static_cast<std::size_t>(at), "\u202f");
    return digits;
}

} // namespace trainyard
