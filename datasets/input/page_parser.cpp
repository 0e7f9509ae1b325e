#include "datasets/input/page_parser.h"

#include <charconv>
#include <string_view>

#include "datasets/input/xml_parser.h"

namespace trainyard {

namespace {

template <typename Number>
Number parseNumber(std::string_view text)
{
    Number value{};
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

/// Turns expat's events into pages. Elements are distinguished by their path below <page>, so that the
/// contributor's <id> is not taken for the page's.
class PageBuilder {
public:
    void start(const char* name, const char** attributes)
    {
        m_path.emplace_back(name);
        m_collected.clear();
        if (at({"page"}))
            m_page = Page();
        else if (at({"page", "redirect"}))
            m_page.redirect = true;
        else if (at({"page", "revision", "text"}))
            m_page.deleted = attributeIn(attributes, "deleted") != nullptr;
        m_collects = at({"page", "title"}) || at({"page", "ns"}) || at({"page", "id"}) ||
                     at({"page", "revision", "model"}) || at({"page", "revision", "text"});
    }

    void characters(const char* text, int size)
    {
        if (m_collects)
            m_collected.append(text, static_cast<std::size_t>(size));
    }

    void end()
    {
        if (at({"page", "title"}))
            m_page.title = m_collected;
        else if (at({"page", "ns"}))
            m_page.space = parseNumber<int>(m_collected);
        else if (at({"page", "id"}))
            m_page.id = parseNumber<std::uint64_t>(m_collected);
        else if (at({"page", "revision", "model"}))
            m_page.model = m_collected;
        else if (at({"page", "revision", "text"}))
            m_page.text.swap(m_collected);
        else if (at({"page"}))
            m_pages.push_back(std::move(m_page));
        m_path.pop_back();
        m_collects = false;
    }

    std::vector<Page>& pages() { return m_pages; }

private:
    /// True inside <mediawiki> at exactly this path.
    bool at(std::initializer_list<std::string_view> path) const
    {
        return m_path.size() == path.size() + 1 && std::equal(path.begin(), path.end(), m_path.begin() + 1);
    }

    std::vector<std::string> m_path; ///< open elements, outermost first
    std::string m_collected;         ///< characters of the current element
    bool m_collects = false;
    Page m_page;
    std::vector<Page> m_pages;
};

void handEventsTo(PageBuilder& builder, const XmlParser& parser)
{
    XML_SetUserData(parser.get(), &builder);
    XML_SetElementHandler(
        parser.get(),
        [](void* to, const char* name, const char** attributes) {
            static_cast<PageBuilder*>(to)->start(name, attributes);
        },
        [](void* to, const char*) { static_cast<PageBuilder*>(to)->end(); });
    XML_SetCharacterDataHandler(parser.get(), [](void* to, const char* text, int size) {
        static_cast<PageBuilder*>(to)->characters(text, size);
    });
}

std::string place(const std::vector<Page>& pages, const CorpusPiece& piece)
{
    if (!pages.empty())
        return fmt::format("after page {} \"{}\"", pages.back().id, pages.back().title);
    return piece.after.empty() ? "before the first page" : piece.after;
}

} // namespace

Result<std::vector<Page>> parsePages(const CorpusPiece& piece)
{
    const XmlParser parser = makeXmlParser();
    PageBuilder builder;
    handEventsTo(builder, parser);
    const std::string_view parts[]{"<mediawiki>", piece.bytes, "</mediawiki>"};
    for (const std::string_view part : parts) {
        const bool last = part.data() == parts[2].data();
        if (XML_Parse(parser.get(), part.data(), static_cast<int>(part.size()), last) == XML_STATUS_OK)
            continue;
        return badInput(fmt::format("{}: {}, {}", piece.file, place(builder.pages(), piece),
                                    xmlProblem(parser, piece.firstLine)),
                        "the file is not a MediaWiki export, or its download went wrong; fetch it again");
    }
    return std::move(builder.pages());
}

const char* reasonToSkip(const Page& page)
{
    if (page.space != 0)
        return "pages_of_other_namespaces";
    if (page.redirect)
        return "redirects";
    if (page.deleted)
        return "pages_deleted";
    if (page.model != "wikitext")
        return "pages_of_other_models";
    return nullptr;
}

} // namespace trainyard
