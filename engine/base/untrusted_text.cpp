#include "engine/base/untrusted_text.h"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/base/utf8.h"

namespace trainyard {

namespace {

/// First and last code point of what acts on a terminal or on the text around it, or hides in it. In order.
constexpr std::array<std::pair<char32_t, char32_t>, 11> kActing{{
    {0x00, 0x1f},      // C0
    {0x7f, 0x9f},      // DEL, C1
    {0x61c, 0x61c},    // Arabic letter mark
    {0x180e, 0x180e},  // Mongolian vowel separator
    {0x200b, 0x200b},  // zero width space
    {0x200e, 0x200f},  // direction marks
    {0x2028, 0x202e},  // line and paragraph separator, embeddings, overrides
    {0x2060, 0x206f},  // word joiner, isolates, deprecated controls
    {0xfeff, 0xfeff},  // byte order mark
    {0xfff9, 0xfffb},  // interlinear annotation
    {0xe0000, 0xe007f} // tags
}};

bool acts(char32_t code)
{
    return std::any_of(kActing.begin(), kActing.end(),
                       [code](const auto& range) { return code >= range.first && code <= range.second; });
}

/// A line break may be written as CR LF; CR alone, as progress bars use it, breaks the line as well.
char32_t lineBreak(std::string_view text, std::size_t& at)
{
    if (text[at] == '\r' && at + 1 < text.size() && text[at + 1] == '\n')
        ++at;
    return '\n';
}

} // namespace

std::string sanitizeText(std::string_view foreign, Lines lines, std::size_t mostBytes)
{
    std::string out;
    out.reserve(std::min(foreign.size(), mostBytes) + kMaxUtf8Length);
    for (std::size_t at = 0; at < foreign.size();) {
        if (out.size() >= mostBytes) {
            appendUtf8(out, U'…');
            break;
        }
        if (foreign[at] == '\n' || foreign[at] == '\r' || foreign[at] == '\t') {
            const char32_t kept = foreign[at] == '\t' ? U'\t' : lineBreak(foreign, at);
            appendUtf8(out, lines == Lines::Many ? kept : U' ');
            ++at;
            continue;
        }
        const Utf8Char next = decodeUtf8(foreign, at);
        appendUtf8(out, acts(next.code) ? kReplacementCharacter : next.code);
        at += next.bytes;
    }
    return out;
}

std::string shownMessage(std::string_view message)
{
    if (message.size() <= kShownMessageBytes)
        return std::string(message);
    constexpr std::size_t kEndBytes = kShownMessageBytes / 5;
    std::size_t end = message.size() - kEndBytes;
    while (end < message.size() && (static_cast<unsigned char>(message[end]) & 0xc0) == 0x80)
        ++end; // to the beginning of a character
    return sanitizeText(message, Lines::Many, kShownMessageBytes - kEndBytes) +
           std::string(message.substr(end));
}

Error sanitizeError(const Error& error)
{
    return {error.kind, sanitizeText(error.message, Lines::Many, kShownTextBytes),
            sanitizeText(error.hint, Lines::Many, kShownTextBytes)};
}

} // namespace trainyard
