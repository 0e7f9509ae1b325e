#include "datasets/corpus/variant_text.h"

#include <algorithm>

#include "datasets/corpus/text_scan.h"

namespace trainyard {

namespace {

using std::string_view;

/// The part of a variant before its colon: "zh-hans", "sr-ec", "zh".
bool isVariantCode(string_view code)
{
    const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || c == '-'; };
    return code.size() >= 2 && code.size() <= 10 && std::all_of(code.begin(), code.end(), letter);
}

/// The part of a rule before its bar: "A", "zh-hans;zh-hant", "H".
bool areFlags(string_view text)
{
    static constexpr ByteSet flags("ARTDHNLW+-; abcdefghijklmnopqrstuvwxyz");
    return flags.findOther(text, 0) == text.size();
}

} // namespace

std::string variantText(string_view rule)
{
    const auto bar = rule.find('|');
    if (bar != string_view::npos && areFlags(rule.substr(0, bar))) {
        const string_view flags = rule.substr(0, bar);
        if (flags.find_first_of("HT-") != string_view::npos &&
            flags.find_first_of("abcdefghijklmnopqrstuvwxyz") == string_view::npos)
            return {};
        rule.remove_prefix(bar + 1);
    }
    const auto variants = splitTopLevel(rule, ';');
    const string_view first = trimmed(variants.front());
    // "computer => zh-hans:..." is a rule of one direction; its text is after the colon too.
    const auto arrow = first.find("=>");
    const string_view variant = trimmed(arrow == string_view::npos ? first : first.substr(arrow + 2));
    const auto colon = variant.find(':');
    if (colon == string_view::npos || !isVariantCode(trimmed(variant.substr(0, colon))))
        return std::string(rule);
    return std::string(trimmed(variant.substr(colon + 1)));
}

} // namespace trainyard
