#pragma once

#include <span>
#include <string_view>

namespace trainyard {

// Names used by the larger wikis, in lower case. Dumps list the namespaces of their wiki, but those before
// export 0.11 omit the aliases, and some have no <siteinfo>.

/// Namespaces whose links are not text: files, media, categories, special pages.
std::span<const std::string_view> hiddenNamespaces();

/// Namespaces for the work on the wiki: talk, users, project, help, templates, portals, drafts.
std::span<const std::string_view> otherNamespaces();

/// Wikis in other languages: MediaWiki shows a link with such a prefix beside the article, not in it.
std::span<const std::string_view> languagePrefixes();

/// Sister projects: the rest of the link is the name of a page there.
std::span<const std::string_view> projectPrefixes();

} // namespace trainyard
