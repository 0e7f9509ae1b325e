#include "datasets/corpus/text_scan.h"

#include <algorithm>

namespace trainyard {

namespace {

char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

} // namespace

std::string_view trimmed(std::string_view text)
{
    static constexpr ByteSet blanks(" \t\r\n");
    text.remove_prefix(blanks.findOther(text, 0));
    while (!text.empty() && blanks.contains(text.back()))
        text.remove_suffix(1);
    return text;
}

std::string asciiLower(std::string_view text)
{
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(), lower);
    return out;
}

bool contains(std::span<const std::string_view> words, std::string_view word)
{
    return std::find(words.begin(), words.end(), word) != words.end();
}

bool startsWithIgnoringCase(std::string_view text, std::string_view lowerCasePrefix)
{
    return text.size() >= lowerCasePrefix.size() &&
           std::equal(lowerCasePrefix.begin(), lowerCasePrefix.end(), text.begin(),
                      [](char expected, char found) { return expected == lower(found); });
}

std::vector<std::string_view> splitTopLevel(std::string_view text, char separator)
{
    std::vector<std::string_view> parts;
    int depth = 0;
    std::size_t begin = 0;
    static constexpr ByteSet brackets("[]{}");
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != separator && !brackets.contains(text[i]))
            continue;
        const std::string_view two = text.substr(i, 2);
        if (two == "[[" || two == "{{") {
            ++depth;
            ++i;
        } else if (depth > 0 && (two == "]]" || two == "}}")) {
            --depth;
            ++i;
        } else if (text[i] == separator && depth == 0) {
            parts.push_back(text.substr(begin, i - begin));
            begin = i + 1;
        }
    }
    parts.push_back(text.substr(begin));
    return parts;
}

} // namespace trainyard
