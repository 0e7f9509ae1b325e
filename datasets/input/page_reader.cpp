#include "datasets/input/page_reader.h"

#include <array>
#include <charconv>
#include <cstring>
#include <deque>
#include <expat.h>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "datasets/input/byte_source.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kReadBytes = 1 << 16;

template <typename Number>
Number parseNumber(std::string_view text)
{
    Number value{};
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

/// Turns expat's events into pages. Elements are told apart by their path below <page>, so that the
/// contributor's <id> is not taken for the page's.
class PageBuilder {
public:
    void start(const char* name, const char** attributes)
    {
        if (m_path.empty() && std::strcmp(name, "mediawiki") != 0)
            m_foreignRoot = name;
        m_path.push_back(name);
        m_collected.clear();
        if (at({"page"}))
            m_page = Page();
        else if (at({"page", "redirect"}))
            m_page.redirect = true;
        else if (at({"page", "revision", "text"}))
            m_page.deleted = hasAttribute(attributes, "deleted");
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
            finishPage();
        m_path.pop_back();
        m_collects = false;
    }

    std::optional<Page> take()
    {
        if (m_ready.empty())
            return std::nullopt;
        Page page = std::move(m_ready.front());
        m_ready.pop_front();
        return page;
    }

    const std::string& foreignRoot() const { return m_foreignRoot; }

    /// "after page 12 “Anarchism”" or "before the first page".
    std::string position() const
    {
        if (m_lastTitle.empty())
            return "before the first page";
        return fmt::format("after page {} \"{}\"", m_lastId, m_lastTitle);
    }

private:
    static bool hasAttribute(const char** attributes, const char* name)
    {
        for (; *attributes; attributes += 2) {
            if (std::strcmp(attributes[0], name) == 0)
                return true;
        }
        return false;
    }

    /// True inside <mediawiki> at exactly this path.
    bool at(std::initializer_list<std::string_view> path) const
    {
        return m_path.size() == path.size() + 1 && std::equal(path.begin(), path.end(), m_path.begin() + 1);
    }

    void finishPage()
    {
        m_lastId = m_page.id;
        m_lastTitle = m_page.title;
        m_ready.push_back(std::move(m_page));
    }

    std::vector<std::string> m_path; ///< open elements, outermost first
    std::string m_collected;         ///< characters of the current element
    bool m_collects = false;
    Page m_page;
    std::deque<Page> m_ready;
    std::uint64_t m_lastId = 0;
    std::string m_lastTitle;
    std::string m_foreignRoot;
};

void onStart(void* builder, const char* name, const char** attributes)
{
    static_cast<PageBuilder*>(builder)->start(name, attributes);
}
void onCharacters(void* builder, const char* text, int size)
{
    static_cast<PageBuilder*>(builder)->characters(text, size);
}
void onEnd(void* builder, const char*)
{
    static_cast<PageBuilder*>(builder)->end();
}

bool endsInTheMiddle(XML_Error error)
{
    return error == XML_ERROR_NO_ELEMENTS || error == XML_ERROR_UNCLOSED_TOKEN ||
           error == XML_ERROR_PARTIAL_CHAR || error == XML_ERROR_UNCLOSED_CDATA_SECTION;
}

struct ParserDeleter {
    void operator()(XML_ParserStruct* parser) const { XML_ParserFree(parser); }
};

} // namespace

struct PageReader::State {
    fs::path dump;
    std::unique_ptr<ByteSource> source;
    std::unique_ptr<XML_ParserStruct, ParserDeleter> parser;
    PageBuilder builder;
    std::array<char, kReadBytes> buffer;
    bool ended = false;

    Status parseMore();
    Error problem(const std::string& what, std::string hint) const
    {
        return badInput(fmt::format("{}: {}, {}", dump.string(), builder.position(), what), std::move(hint));
    }
};

Status PageReader::State::parseMore()
{
    const Result<std::size_t> got = source->read(buffer);
    if (!got.ok())
        return problem(got.error().message, got.error().hint);
    ended = got.value() == 0;
    const auto status = XML_Parse(parser.get(), buffer.data(), static_cast<int>(got.value()), ended);
    if (!builder.foreignRoot().empty())
        return badInput(fmt::format("{}: the root element is <{}>, not <mediawiki>", dump.string(),
                                    builder.foreignRoot()),
                        "give a MediaWiki export, such as enwiki-latest-pages-articles.xml.bz2");
    if (status == XML_STATUS_OK)
        return {};
    if (ended && endsInTheMiddle(XML_GetErrorCode(parser.get())))
        return problem("the XML ends in the middle", "the dump is truncated; fetch it again");
    return problem(fmt::format("the XML is damaged at line {}: {}", XML_GetCurrentLineNumber(parser.get()),
                               XML_ErrorString(XML_GetErrorCode(parser.get()))),
                   "the file is not a MediaWiki export, or its download went wrong; fetch it again");
}

PageReader::PageReader(std::unique_ptr<State> state) : m_state(std::move(state)) {}
PageReader::PageReader(PageReader&&) noexcept = default;
PageReader& PageReader::operator=(PageReader&&) noexcept = default;
PageReader::~PageReader() = default;

Result<PageReader> PageReader::open(const fs::path& dump)
{
    auto state = std::make_unique<State>();
    state->dump = dump;
    TRAINYARD_TRY(state->source, openDump(dump));
    state->parser.reset(XML_ParserCreate(nullptr));
    XML_SetUserData(state->parser.get(), &state->builder);
    XML_SetElementHandler(state->parser.get(), onStart, onEnd);
    XML_SetCharacterDataHandler(state->parser.get(), onCharacters);
    return PageReader(std::move(state));
}

Result<std::optional<Page>> PageReader::next()
{
    for (;;) {
        if (auto page = m_state->builder.take())
            return page;
        if (m_state->ended)
            return std::optional<Page>();
        TRAINYARD_TRY_STATUS(m_state->parseMore());
    }
}

std::uint64_t PageReader::fileOffset() const
{
    return m_state->source->fileOffset();
}

} // namespace trainyard
