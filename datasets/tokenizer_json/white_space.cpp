#include "datasets/tokenizer_json/white_space.h"

#include "engine/base/utf8.h"

namespace trainyard {

namespace {

std::size_t lastStart(std::string_view text)
{
    std::size_t at = text.size() - 1;
    while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80)
        --at;
    return at;
}

} // namespace

bool isWhiteSpace(char32_t code)
{
    return code == ' ' || (code >= '\t' && code <= '\r') || code == 0x85 || code == 0xA0 || code == 0x1680 ||
           (code >= 0x2000 && code <= 0x200A) || code == 0x2028 || code == 0x2029 || code == 0x202F ||
           code == 0x205F || code == 0x3000;
}

std::size_t whiteSpaceAtStart(std::string_view text)
{
    std::size_t at = 0;
    while (at < text.size()) {
        const Utf8Char c = decodeUtf8(text, at);
        if (!isWhiteSpace(c.code))
            break;
        at += c.bytes;
    }
    return at;
}

std::size_t whiteSpaceAtEnd(std::string_view text)
{
    std::size_t end = text.size();
    while (end > 0 && isWhiteSpace(lastCodePoint(text.substr(0, end))))
        end = lastStart(text.substr(0, end));
    return text.size() - end;
}

char32_t lastCodePoint(std::string_view text)
{
    return decodeUtf8(text, lastStart(text)).code;
}

} // namespace trainyard
