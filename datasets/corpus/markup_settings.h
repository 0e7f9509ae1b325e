#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

namespace trainyard {

/// What the part of a link in front of its colon stands for.
enum class LinkPrefix : std::uint8_t {
    None,     ///< part of an article's title: "Terminator 2: Judgment Day"
    Hidden,   ///< a file, a category, a special page: no text
    Other,    ///< another namespace of the same wiki
    Language, ///< a wiki in another language: shown beside the article
    Project,  ///< another wiki
};

/// What the markup of one wiki means, and what of it becomes text. Many threads may read one that does not
/// change.
class MarkupSettings {
public:
    /// Knows the namespaces of the larger languages.
    MarkupSettings();

    /// Makes known another name of a namespace (-2 media, -1 special, 0 articles, 6 files, 14 categories,
    /// ...), as <siteinfo> of a dump gives it; any case.
    void addNamespace(int number, std::string_view name);

    /// Any case, "_" for blanks.
    LinkPrefix prefix(std::string_view name) const;

    bool keepHeadings = false; ///< as paragraphs of their own
    bool keepLists = false;    ///< items too, as paragraphs

private:
    std::unordered_map<std::string, LinkPrefix> m_prefixes; ///< by name in lower case
};

/// True for the title of a section that lists sources, links or pictures, in any of the larger languages.
bool isAppendixTitle(std::string_view title);

} // namespace trainyard
