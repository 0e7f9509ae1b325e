#include "engine/base/counted.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace trainyard {

namespace {

bool endsInSibilant(std::string_view noun)
{
    constexpr std::array<std::string_view, 4> kEnds{"s", "x", "ch", "sh"};
    return std::ranges::any_of(kEnds, [noun](std::string_view end) { return noun.ends_with(end); });
}

bool endsInConsonantAndY(std::string_view noun)
{
    constexpr std::string_view kVowels = "aeiou";
    return noun.size() > 1 && noun.ends_with('y') &&
           kVowels.find(noun[noun.size() - 2]) == std::string_view::npos;
}

} // namespace

std::string nounFor(std::uint64_t count, std::string_view noun)
{
    if (count == 1)
        return std::string(noun);
    if (endsInConsonantAndY(noun))
        return fmt::format("{}ies", noun.substr(0, noun.size() - 1));
    return fmt::format("{}{}", noun, endsInSibilant(noun) ? "es" : "s");
}

std::string counted(std::uint64_t count, std::string_view noun)
{
    return fmt::format("{} {}", count, nounFor(count, noun));
}

} // namespace trainyard
