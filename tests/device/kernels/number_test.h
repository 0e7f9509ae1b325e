#pragma once

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <QTest>

#include "engine/device/cuda/number.h"

namespace trainyard {

/// Half a unit in the last place of the type, relative.
template <typename T>
constexpr double kRounding = 0x1p-53;
template <>
inline constexpr double kRounding<float> = 0x1p-24;
template <>
inline constexpr double kRounding<BFloat16> = 0x1p-8;
template <>
inline constexpr double kRounding<Float16> = 0x1p-11;

/// sin waves, rounded to T.
template <typename T>
std::vector<T> wave(std::int64_t count, double frequency, double amplitude, double shift = 0)
{
    std::vector<T> values;
    for (std::int64_t i = 0; i < count; ++i)
        values.push_back(
            narrow<T>(static_cast<Wide<T>>(amplitude * std::sin(frequency * double(i + 1)) + shift)));
    return values;
}

template <typename T>
double numberOf(T value)
{
    return static_cast<double>(widen(value));
}

/// Each number is the expected one, as it was computed in Wide<T> with some tens of roundings and then
/// rounded to T. Numbers are about `size` large.
template <typename T>
void compareNumbers(const std::vector<T>& found, const std::vector<double>& expected, double size = 1)
{
    const double bound = 64 * kRounding<Wide<T>> * size;
    QCOMPARE(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        const double difference = std::abs(numberOf(found[i]) - expected[i]);
        const bool isClose = difference <= bound + 1.01 * kRounding<T> * std::abs(expected[i]);
        QVERIFY2(isClose, (std::to_string(i) + ": " + std::to_string(numberOf(found[i])) + " instead of " +
                           std::to_string(expected[i]))
                              .c_str());
    }
}

/// Calls check.template operator()<T>() for the type of the row.
template <typename Check>
void withNumberType(const QString& name, const Check& check)
{
    if (name == "float64")
        return check.template operator()<double>();
    if (name == "float32")
        return check.template operator()<float>();
    if (name == "bfloat16")
        return check.template operator()<BFloat16>();
    check.template operator()<Float16>();
}
inline const char* const kNumberTypes[] = {"float64", "float32", "bfloat16", "float16"};

} // namespace trainyard
