#include "datasets/corpus/code_points.h"

#include <charconv>

#include "engine/base/check.h"

namespace trainyard {

std::vector<CodePointRange> codePoints(std::string_view text)
{
    const char* at = text.data();
    const char* const end = text.data() + text.size();
    const auto number = [&](int base) {
        std::uint32_t value = 0;
        const auto [next, error] = std::from_chars(at, end, value, base);
        TRAINYARD_CHECK(error == std::errc());
        at = next;
        return static_cast<char32_t>(value);
    };
    const auto takes = [&](char sign) { return at < end && *at == sign && ++at; };
    std::vector<CodePointRange> ranges;
    while (at < end) {
        const char32_t first = number(16);
        const char32_t last = takes('-') ? number(16) : first;
        ranges.push_back({first, last, takes('/') ? number(10) : 1});
        while (takes(' ')) {
        }
    }
    return ranges;
}

} // namespace trainyard
