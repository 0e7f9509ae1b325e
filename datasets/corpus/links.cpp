#include "datasets/corpus/links.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include "datasets/corpus/text_scan.h"

namespace trainyard {

namespace {

using std::string_view;

constexpr string_view kDroppedSpaces[]{"file", "image", "media", "category", "special"};

/// Links to these show their label, but nothing when they have none.
constexpr string_view kOtherSpaces[]{"wikipedia", "wp",         "project", "help",    "portal", "template",
                                     "user",      "wiktionary", "wikt",    "commons", "s",      "wikisource"};

/// "de", "simple", "zh-min-nan", "be-x-old": links to the same article in another language.
bool isLanguageCode(string_view prefix)
{
    if (prefix == "simple")
        return true;
    const string_view stem = prefix.substr(0, prefix.find('-'));
    return stem.size() >= 2 && stem.size() <= 3 && prefix.size() <= 12 &&
           std::all_of(prefix.begin(), prefix.end(),
                       [](unsigned char c) { return std::islower(c) || c == '-'; });
}

string_view withoutAnchor(string_view target)
{
    const auto anchor = target.find('#');
    return anchor == 0 || anchor == string_view::npos ? target : target.substr(0, anchor);
}

/// The part of "target|label" that a reader sees.
std::string linkText(string_view link)
{
    const auto bar = link.find('|');
    string_view target = trimmed(link.substr(0, bar));
    const string_view label = bar == string_view::npos ? string_view() : trimmed(link.substr(bar + 1));
    const bool quoted = target.starts_with(':'); // [[:Category:X]] shows a link instead of filing the page
    if (quoted)
        target.remove_prefix(1);
    const auto colon = target.find(':');
    const std::string space =
        colon == string_view::npos ? std::string() : asciiLower(trimmed(target.substr(0, colon)));
    if (!quoted && (contains(kDroppedSpaces, space) || (label.empty() && isLanguageCode(space))))
        return {};
    if (!label.empty())
        return std::string(label);
    return contains(kOtherSpaces, space) ? std::string() : std::string(withoutAnchor(target));
}

std::string replaceInternal(string_view rest)
{
    std::vector<std::string> open(1);
    while (!rest.empty()) {
        const auto plain = std::min(rest.find_first_of("[]"), rest.size());
        open.back().append(rest.substr(0, plain));
        rest.remove_prefix(plain);
        if (rest.starts_with("[[")) {
            open.emplace_back();
            rest.remove_prefix(2);
        } else if (rest.starts_with("]]")) {
            if (open.size() > 1) {
                const std::string text = linkText(open.back());
                open.pop_back();
                open.back() += text;
            }
            rest.remove_prefix(2);
        } else if (!rest.empty()) {
            open.back() += rest.front();
            rest.remove_prefix(1);
        }
    }
    std::string out;
    for (const std::string& unclosed : open)
        out += unclosed;
    return out;
}

bool startsUrl(string_view text)
{
    static constexpr string_view schemes[]{"http://", "https://", "//", "ftp://", "mailto:"};
    return std::any_of(std::begin(schemes), std::end(schemes),
                       [&](string_view scheme) { return startsWithIgnoringCase(text, scheme); });
}

std::string replaceExternal(string_view text)
{
    std::string out;
    out.reserve(text.size());
    std::size_t end =
        0; // of the link at hand: the next "]" or line end, looked for once for all links before it
    for (std::size_t at = 0;;) {
        const auto bracket = text.find('[', at);
        out.append(text.substr(at, bracket - at));
        if (bracket == string_view::npos)
            return out;
        at = bracket + 1;
        if (end < at)
            end = std::min(text.find_first_of("]\n", at), text.size());
        if (!startsUrl(text.substr(at)) || end == text.size() || text[end] != ']') {
            out += '[';
            continue;
        }
        const string_view link = text.substr(at, end - at);
        const auto blank = link.find(' ');
        if (blank != string_view::npos)
            out.append(trimmed(link.substr(blank)));
        at = end + 1;
    }
}

} // namespace

std::string replaceLinks(string_view markup)
{
    return replaceExternal(replaceInternal(markup));
}

} // namespace trainyard
