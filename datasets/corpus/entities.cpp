#include "datasets/corpus/entities.h"

#include <cctype>

#include <fmt/format.h>

#include "engine/base/parsed_number.h"
#include "engine/base/utf8.h"

namespace trainyard {

namespace {

constexpr std::size_t kMaxEntity = 10; // between "&" and ";"

std::optional<char32_t> numericEntity(std::string_view digits)
{
    const bool hexadecimal = digits.starts_with('x') || digits.starts_with('X');
    if (hexadecimal)
        digits.remove_prefix(1);
    const std::uint32_t code = parsedNumber<std::uint32_t>(digits, hexadecimal ? 16 : 10).value_or(0);
    const bool character = code > 0 && code <= 0x10FFFF && !(code >= 0xD800 && code <= 0xDFFF);
    return character ? std::optional<char32_t>(code) : std::nullopt;
}

std::optional<char32_t> entity(std::string_view name)
{
    return name.starts_with('#') ? numericEntity(name.substr(1)) : namedEntity(name);
}

std::string decodeOnce(std::string_view text)
{
    std::string out;
    out.reserve(text.size());
    for (;;) {
        const auto ampersand = text.find('&');
        out.append(text.substr(0, ampersand));
        if (ampersand == std::string_view::npos)
            return out;
        text.remove_prefix(ampersand);
        const auto semicolon = text.substr(0, kMaxEntity + 2).find(';');
        const auto code =
            semicolon == std::string_view::npos ? std::nullopt : entity(text.substr(1, semicolon - 1));
        if (code)
            appendUtf8(out, *code);
        else
            out += '&';
        text.remove_prefix(code ? semicolon + 1 : 1);
    }
}

} // namespace

std::string decodeEntities(std::string_view text)
{
    constexpr int kMaxEscapes = 5; // "&amp;amp;amp;lt;" of a page that went through many tools
    std::string decoded(text);
    for (int i = 0; i < kMaxEscapes && decoded.find('&') != std::string::npos; ++i) {
        std::string next = decodeOnce(decoded);
        if (next == decoded)
            break;
        decoded = std::move(next);
    }
    return decoded;
}

std::string encodeAsEntities(std::string_view text)
{
    std::string out;
    for (const char c : text) {
        if (std::ispunct(static_cast<unsigned char>(c)))
            out += fmt::format("&#{};", static_cast<int>(c));
        else
            out += c;
    }
    return out;
}

} // namespace trainyard
