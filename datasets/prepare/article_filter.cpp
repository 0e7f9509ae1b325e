#include "datasets/prepare/article_filter.h"

namespace trainyard {

const char* reasonToSkip(const Page& page)
{
    constexpr std::size_t kLongestPage = 64u << 20; // MediaWiki's own limit is 2 MiB
    if (page.space != 0)
        return "pages_of_other_namespaces";
    if (page.redirect)
        return "redirects";
    if (page.deleted)
        return "pages_deleted";
    if (page.model != "wikitext")
        return "pages_of_other_models";
    if (page.text.size() > kLongestPage)
        return "pages_too_long";
    return nullptr;
}

} // namespace trainyard
