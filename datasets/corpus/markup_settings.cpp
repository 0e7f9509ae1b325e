#include "datasets/corpus/markup_settings.h"

#include <algorithm>
#include <unordered_set>

#include "datasets/corpus/appendix_titles.h"
#include "datasets/corpus/letters.h"
#include "datasets/corpus/namespace_names.h"
#include "datasets/corpus/text_scan.h"

namespace trainyard {

namespace {

constexpr std::size_t kMaxNamespaceName = 80; // of a namespace, in bytes; longer ones are not looked up

LinkPrefix kindOf(int number)
{
    switch (number) {
    case -2: // media
    case -1: // special
    case 6:  // files
    case 14: // categories
        return LinkPrefix::Hidden;
    default:
        return LinkPrefix::Other;
    }
}

std::string normalized(std::string_view name)
{
    std::string out = lowerCase(trimmed(name));
    std::replace(out.begin(), out.end(), '_', ' ');
    return out;
}

} // namespace

MarkupSettings::MarkupSettings()
{
    // What is said first holds: a name that two languages use for different things hides.
    const std::pair<std::span<const std::string_view>, LinkPrefix> known[]{
        {hiddenNamespaces(), LinkPrefix::Hidden},
        {otherNamespaces(), LinkPrefix::Other},
        {projectPrefixes(), LinkPrefix::Project},
        {languagePrefixes(), LinkPrefix::Language},
    };
    for (const auto& [names, kind] : known) {
        for (const std::string_view name : names)
            m_prefixes.emplace(name, kind);
    }
}

void MarkupSettings::addNamespace(int number, std::string_view name)
{
    const std::string key = normalized(name);
    if (number != 0 && !key.empty())
        m_prefixes[key] = kindOf(number);
}

LinkPrefix MarkupSettings::prefix(std::string_view name) const
{
    if (name.size() > kMaxNamespaceName)
        return LinkPrefix::None;
    const auto found = m_prefixes.find(normalized(name));
    return found == m_prefixes.end() ? LinkPrefix::None : found->second;
}

bool isAppendixTitle(std::string_view title)
{
    static const std::unordered_set<std::string_view> titles(appendixTitles().begin(),
                                                             appendixTitles().end());
    const std::string lower = lowerCase(trimmed(title));
    return titles.contains(std::string_view(lower).substr(0, lower.find_last_not_of(":. ") + 1));
}

} // namespace trainyard
