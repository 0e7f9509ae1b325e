#include "engine/spec/field_ranges.h"

#include <functional>
#include <type_traits>

#include "engine/spec/field_json.h"
#include "engine/spec/run_fields.h"

namespace trainyard {

namespace {

using Duration = std::chrono::milliseconds;

constexpr int kMaxListed = 4; ///< whole numbers of a range that a hint names one by one

std::string shownValue(auto number)
{
    return fmt::format("{}", number);
}
std::string shownValue(Bytes size)
{
    return formatBytes(size);
}
std::string shownValue(Duration duration)
{
    return formatDuration(duration);
}

double asNumber(auto number)
{
    return static_cast<double>(number);
}
double asNumber(Duration duration)
{
    return static_cast<double>(duration.count());
}

template <typename Number>
std::string shownBound(double bound)
{
    if constexpr (std::is_same_v<Number, Bytes>)
        return sizeText(static_cast<Bytes>(bound));
    else if constexpr (std::is_same_v<Number, Duration>)
        return shownValue(Duration(static_cast<Duration::rep>(bound)));
    else
        return shownValue(static_cast<Number>(bound));
}

/// "0, 1, 2 or 3".
std::string alternativesIn(const Range& range)
{
    std::string text = shownValue(range.min);
    for (double value = range.min + 1; value <= range.max; ++value)
        text += (value == range.max ? " or " : ", ") + shownValue(value);
    return text;
}

/// What a value out of `range` has to be instead.
template <typename Number>
std::string hintFor(Number value, Number defaultValue, const Range& range)
{
    const std::string min = range.hasMin() ? shownBound<Number>(range.min) : std::string();
    const std::string max = range.hasMax() ? shownBound<Number>(range.max) : std::string();
    if (!range.withMin)
        return fmt::format("must be {}, e.g. {}",
                           range.hasMax() ? fmt::format("between {} and {}", min, max) : "positive",
                           shownValue(defaultValue));
    if (!range.withMax)
        return fmt::format("must be at least {} and below {}", min, max);
    if (std::is_same_v<Number, int> && range.max - range.min < kMaxListed)
        return "must be " + alternativesIn(range);
    if (asNumber(value) > range.max)
        return "must be at most " + max;
    if constexpr (std::is_same_v<Number, Bytes>)
        return fmt::format("must be at least {}; {} is a good start", min, sizeText(defaultValue));
    return "must be at least " + min;
}

/// "0 < 1"; empty for numbers with units and for open ranges, whose hint says it all.
template <typename Number>
std::string equationFor(Number value, const Range& range)
{
    if (!range.withMin || std::is_same_v<Number, Bytes> || std::is_same_v<Number, Duration>)
        return {};
    if (asNumber(value) < range.min)
        return fmt::format("{} < {}", shownValue(value), shownBound<Number>(range.min));
    return fmt::format("{} {} {}", shownValue(value),
                       range.withMax ? ">" : ">=", shownBound<Number>(range.max));
}

template <typename Number>
concept Ranged = std::is_same_v<Number, int> || std::is_same_v<Number, double> ||
    std::is_same_v<Number, Bytes> || std::is_same_v<Number, Duration>;

template <typename Struct>
struct RangeChecker {
    const Struct& object;
    std::string path; ///< of the object, with its dot
    Checker& check;

    template <typename Access>
    void operator()(const char* key, const Access& access, const FieldInfo& info)
    {
        using Member = Accessed<Struct, Access>;
        const Member& value = std::invoke(access, object);
        if constexpr (Described<Member>)
            checkObject(value, path + key + ".", check);
        else if constexpr (Ranged<Member>) {
            if (!info.range.contains(asNumber(value)))
                complain(key, value, std::invoke(access, Struct()), info.range);
        } else if constexpr (std::is_same_v<Member, std::vector<PhaseSpec>>) {
            // Each laid over the run by validate().
        } else if constexpr (DescribedList<Member>) {
            for (std::size_t i = 0; i < value.size(); ++i)
                checkObject(value[i], fmt::format("{}{}[{}].", path, key, i), check);
        }
    }

    template <typename Number>
    void complain(const char* key, Number value, Number byDefault, const Range& range)
    {
        check.require(false, (path + key).c_str(), "is " + shownValue(value),
                      hintFor(value, byDefault, range), equationFor(value, range));
    }

    static void checkObject(const auto& value, const std::string& path, Checker& check)
    {
        using Value = std::remove_cvref_t<decltype(value)>;
        RangeChecker<Value> fields{value, path, check};
        describe(fields, Of<Value>());
    }
};

} // namespace

void checkRanges(const RunSpec& spec, Checker& check)
{
    RangeChecker<RunSpec>::checkObject(spec, {}, check);
}

} // namespace trainyard
