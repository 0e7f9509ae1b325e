#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

namespace trainyard {

/// Meaning of the part of a link before its colon.
enum class LinkPrefix : std::uint8_t {
    None,     ///< part of an article's title: "Terminator 2: Judgment Day"
    Hidden,   ///< a file, a category, a special page: no text
    Other,    ///< another namespace of the same wiki
    Language, ///< a wiki in another language: shown beside the article
    Project,  ///< another wiki
};

/// Settings for the markup of one wiki and for the parts of it that become text. Any number of threads may
/// read one that does not change.
class MarkupSettings {
public:
    /// Starts with the namespaces of the larger languages.
    MarkupSettings();

    /// Adds a name of a namespace (-2 media, -1 special, 0 articles, 6 files, 14 categories, ...) as given by
    /// <siteinfo> of a dump; any case.
    void addNamespace(int number, std::string_view name);

    /// Looks up a prefix; any case, "_" for blanks.
    LinkPrefix prefix(std::string_view name) const;

    bool keepHeadings = false; ///< each as a paragraph
    bool keepLists = false;    ///< keep list items, each as a paragraph

private:
    std::unordered_map<std::string, LinkPrefix> m_prefixes; ///< by name in lower case
};

/// Returns true for the title of a section that lists sources, links or pictures, in any of the larger
/// languages.
bool isAppendixTitle(std::string_view title);

} // namespace trainyard
