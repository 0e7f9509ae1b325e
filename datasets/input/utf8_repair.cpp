#include "datasets/input/utf8_repair.h"

#include <cstring>

#include "engine/base/utf8.h"

namespace trainyard {

namespace {

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
