#include "datasets/corpus/markup_settings.h"

#include <algorithm>
#include <unordered_set>

#include "datasets/corpus/letters.h"
#include "datasets/corpus/name_lists.h"
#include "datasets/corpus/text_scan.h"

namespace trainyard {

namespace {

using Prefixes = std::unordered_map<std::string, LinkPrefix>;

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

/// Of the larger wikis (resources/wiki/namespaces.json). Dumps list the namespaces of their wiki, but those
/// before export 0.11 omit the aliases, and some have no <siteinfo>.
const Prefixes& knownPrefixes()
{
    static const Prefixes known = [] {
        Prefixes prefixes;
        // The first kind wins: a name that two languages use for different things hides.
        for (const auto& [key, kind] : {std::pair{"hidden", LinkPrefix::Hidden},
                                        {"other", LinkPrefix::Other},
                                        {"projects", LinkPrefix::Project},
                                        {"languages", LinkPrefix::Language}}) {
            for (std::string& name : embeddedNames("namespaces", key))
                prefixes.emplace(std::move(name), kind);
        }
        return prefixes;
    }();
    return known;
}

} // namespace

MarkupSettings::MarkupSettings() : m_prefixes(knownPrefixes()) {}

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
    static const auto titles = [] {
        auto names = embeddedNames("appendices", "titles");
        return std::unordered_set<std::string>(names.begin(), names.end());
    }();
    const std::string lower = lowerCase(trimmed(title));
    return titles.contains(lower.substr(0, lower.find_last_not_of(":. ") + 1));
}

} // namespace trainyard
