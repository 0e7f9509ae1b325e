#pragma once

#include <span>
#include <string_view>

namespace trainyard {

// Names as larger wikis have them, in lower case. Dumps name the namespaces of their own wiki, but those
// before export 0.11 leave out the aliases, and some have no <siteinfo>.

/// Namespaces whose links are no text: files, media, categories, special pages.
std::span<const std::string_view> hiddenNamespaces();

/// Namespaces of people at work on the wiki: talk, users, project, help, templates, portals, drafts.
std::span<const std::string_view> otherNamespaces();

/// Wikis in other languages: a link with such a prefix is shown beside the article, not in it.
std::span<const std::string_view> languagePrefixes();

/// Sister projects: the rest of such a link names a page there.
std::span<const std::string_view> projectPrefixes();

} // namespace trainyard
