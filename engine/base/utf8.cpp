#include "engine/base/utf8.h"

#include <cstring>

#include "engine/base/check.h"

namespace trainyard {

namespace {

struct LeadByte {
    std::size_t bytes;
    char32_t bits;
    char32_t smallest; ///< code point that needs this many bytes
};

LeadByte classify(unsigned char byte)
{
    if (byte < 0x80)
        return {1, byte, 0};
    if ((byte & 0xE0) == 0xC0)
        return {2, static_cast<char32_t>(byte & 0x1F), 0x80};
    if ((byte & 0xF0) == 0xE0)
        return {3, static_cast<char32_t>(byte & 0x0F), 0x800};
    if ((byte & 0xF8) == 0xF0)
        return {4, static_cast<char32_t>(byte & 0x07), 0x10000};
    return {0, 0, 0};
}

/// Skips ASCII from text[at] on, eight bytes at a time.
std::size_t skipAscii(std::string_view text, std::size_t at)
{
    for (std::uint64_t word; at + sizeof(word) <= text.size(); at += sizeof(word)) {
        std::memcpy(&word, text.data() + at, sizeof(word));
        if (word & 0x8080808080808080u)
            break;
    }
    while (at < text.size() && static_cast<unsigned char>(text[at]) < 0x80)
        ++at;
    return at;
}

} // namespace

Utf8Char decodeUtf8(std::string_view text, std::size_t at)
{
    const LeadByte lead = classify(static_cast<unsigned char>(text[at]));
    if (lead.bytes == 1)
        return {lead.bits, 1};
    if (lead.bytes == 0 || text.size() - at < lead.bytes)
        return {};
    char32_t code = lead.bits;
    for (std::size_t i = 1; i < lead.bytes; ++i) {
        const auto byte = static_cast<unsigned char>(text[at + i]);
        if ((byte & 0xC0) != 0x80)
            return {};
        code = (code << 6) | (byte & 0x3F);
    }
    if (code < lead.smallest || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF))
        return {};
    return {code, lead.bytes};
}

char* encodeUtf8(char32_t code, char* out)
{
    TRAINYARD_CHECK(code <= 0x10FFFF);
    if (code < 0x80) {
        *out++ = static_cast<char>(code);
        return out;
    }
    const int continuations = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    constexpr unsigned char kLead[] = {0, 0xC0, 0xE0, 0xF0};
    *out++ = static_cast<char>(kLead[continuations] | (code >> (6 * continuations)));
    for (int i = continuations - 1; i >= 0; --i)
        *out++ = static_cast<char>(0x80 | ((code >> (6 * i)) & 0x3F));
    return out;
}

void appendUtf8(std::string& out, char32_t code)
{
    char bytes[kMaxUtf8Length];
    out.append(bytes, encodeUtf8(code, bytes));
}

std::size_t validUtf8Prefix(std::string_view text)
{
    for (std::size_t at = 0;;) {
        at = skipAscii(text, at);
        if (at == text.size())
            return at;
        const Utf8Char character = decodeUtf8(text, at);
        if (character.bytes == 1) // neither ASCII nor a character
            return at;
        at += character.bytes;
    }
}

std::uint64_t repairUtf8(std::string& text)
{
    std::uint64_t replaced = 0;
    std::string repaired;
    for (std::string_view rest = text; !rest.empty();) {
        const std::size_t valid = validUtf8Prefix(rest);
        repaired.append(rest.substr(0, valid));
        rest.remove_prefix(valid);
        if (rest.empty())
            break;
        appendUtf8(repaired, kReplacementCharacter);
        rest.remove_prefix(1);
        ++replaced;
    }
    text = std::move(repaired);
    return replaced;
}

} // namespace trainyard
