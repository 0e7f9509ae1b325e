#include "engine/base/utf8.h"

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

} // namespace trainyard
