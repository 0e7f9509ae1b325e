#include "datasets/corpus/superscript.h"

#include "engine/base/utf8.h"

namespace trainyard {

namespace {

std::string_view raised(char32_t code)
{
    static constexpr std::string_view digits[]{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    if (code >= '0' && code <= '9')
        return digits[code - '0'];
    if (code == '+')
        return "⁺";
    return code == '-' || code == U'−' ? "⁻" : std::string_view();
}

} // namespace

std::string superscript(std::string_view number)
{
    std::string out;
    for (std::size_t at = 0; at < number.size();) {
        const Utf8Char c = decodeUtf8(number, at);
        if (raised(c.code).empty())
            return {};
        out += raised(c.code);
        at += c.bytes;
    }
    return out;
}

} // namespace trainyard
