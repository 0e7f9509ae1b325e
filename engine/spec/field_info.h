#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

namespace trainyard {

/// The values that a number may have. Sizes are in bytes, durations in milliseconds.
struct Range {
    double min = -std::numeric_limits<double>::infinity();
    double max = std::numeric_limits<double>::infinity();
    bool withMin = true; ///< min itself is allowed
    bool withMax = true;

    /// False for NaN, unless nothing is out of range.
    constexpr bool contains(double value) const
    {
        return isEverything() ||
               ((withMin ? value >= min : value > min) && (withMax ? value <= max : value < max));
    }
    constexpr bool hasMin() const { return min > -std::numeric_limits<double>::infinity(); }
    constexpr bool hasMax() const { return max < std::numeric_limits<double>::infinity(); }
    constexpr bool isEverything() const { return !hasMin() && !hasMax(); }
};

constexpr Range atLeast(double min)
{
    return {.min = min};
}
constexpr Range atMost(double max)
{
    return {.max = max};
}
constexpr Range between(double min, double max)
{
    return {.min = min, .max = max};
}
constexpr Range positive()
{
    return {.min = 0, .withMin = false};
}
/// In the unit of durations.
constexpr double minutes(double count)
{
    return 60'000 * count;
}
/// 0 <= value < 1.
constexpr Range fraction()
{
    return {.min = 0, .max = 1, .withMax = false};
}
/// 0 < value < 1.
constexpr Range openFraction()
{
    return {.min = 0, .max = 1, .withMin = false, .withMax = false};
}

/// What is to be said of one field of the specification, whoever says it: messages, form, JSON schema,
/// manual. Key, type and default come from the member that it describes.
struct FieldInfo {
    const char* label = ""; ///< of its row in the form; empty: something else in the form edits it
    const char* help = "";  ///< one sentence without its full stop
    Range range{};
    const char* unit = "";    ///< that the form shows it in; every size has one ("MiB")
    const char* zero = "";    ///< what the form shows for 0: "Off"; empty: the number
    const char* source = "";  ///< of what it does; papers as "arXiv:" and their number
    const char* choices = ""; ///< of a text that has to be one of them: "cluster, spread"
    const char* pattern = ""; ///< of a text: regular expression for the JSON schema
    bool optional = false;    ///< the default means unknown or none, and is written as no key at all
    /// Written as no key at all while it has its default, so that files stay as they were without it.
    bool onlyIfSet = false;

    /// Of an unsigned number: a size in bytes, written with its unit.
    constexpr bool isSize() const { return unit[0] != '\0'; }
    constexpr bool isAlwaysWritten() const { return !optional && !onlyIfSet; }
};

/// Tells the overloads of describe() apart:
///     template <typename Visitor> void describe(Visitor& field, Of<BatchSpec>)
/// calls `field(key, &BatchSpec::member, FieldInfo)` for every member, in the order of the file.
template <typename Struct>
struct Of {
};

/// A section that is stored inside another one: in place of a member's pointer.
template <typename Struct, typename Middle, typename Member>
struct MemberOfMember {
    Middle Struct::*middle;
    Member Middle::*member;

    constexpr const Member& operator()(const Struct& object) const { return object.*middle.*member; }
    constexpr Member& operator()(Struct& object) const { return object.*middle.*member; }
};

/// The type of a member, by what a describe() gives for it: std::invoke(access, object) is its value.
template <typename Struct, typename Access>
using Accessed = std::remove_cvref_t<std::invoke_result_t<const Access&, Struct&>>;

/// A struct that has a describe(): a section of the specification, or an element of a list.
struct AnyVisitor;
template <typename Struct>
concept Described = requires(AnyVisitor& visitor)
{
    describe(visitor, Of<Struct>());
};

/// A list of them.
template <typename List>
concept DescribedList = Described<typename List::value_type>;

} // namespace trainyard
