#include "datasets/input/dump_header.h"

#include <strings.h>

#include "datasets/input/xml_parser.h"
#include "engine/base/parsed_number.h"

namespace trainyard {

namespace {

/// "dewiki" and "dewiktionary" -> "de".
std::string languageOf(const std::string& databaseName)
{
    return databaseName.substr(0, databaseName.find("wik"));
}

bool isUnicode(const std::string& encoding)
{
    return encoding.empty() || strcasecmp(encoding.c_str(), "UTF-8") == 0 ||
           strcasecmp(encoding.c_str(), "US-ASCII") == 0 || strncasecmp(encoding.c_str(), "UTF-16", 6) == 0;
}

} // namespace

struct DumpHeader::State {
    XmlParser parser = makeXmlParser();
    SiteInfo site;
    std::string rootName;
    std::string encoding;            ///< that the XML declaration names
    std::string databaseName;        ///< "dewiki"
    std::vector<std::string> path;   ///< open elements, outermost first
    std::string characters;          ///< of the innermost element
    std::optional<int> namespaceKey; ///< of the innermost element
    std::optional<std::uint64_t> size;

    void start(const char* name, const char** attributes);
    void end();
    void stop();
    Status checkKind() const;
};

void DumpHeader::State::start(const char* name, const char** attributes)
{
    if (path.empty()) {
        rootName = name;
        if (const char* language = attributeIn(attributes, "xml:lang"))
            site.language = language;
        if (rootName != "mediawiki")
            return stop();
    }
    if (path.size() == 1 && std::strcmp(name, "page") == 0)
        return stop();
    path.emplace_back(name);
    characters.clear();
    const char* const key = attributeIn(attributes, "key");
    namespaceKey = key ? parsedNumber<int>(key) : std::nullopt;
}

void DumpHeader::State::end()
{
    if (size)
        return; // expat ends an empty element although its start has stopped the parser
    if (path.size() == 1)
        return stop(); // a dump without pages
    if (path.back() == "dbname")
        databaseName = characters;
    // Namespaces carry their number in "key"; so do the aliases that export-0.11 adds.
    if (namespaceKey && !characters.empty())
        site.namespaces[*namespaceKey].push_back(characters);
    namespaceKey.reset();
    characters.clear();
    path.pop_back();
}

void DumpHeader::State::stop()
{
    size = static_cast<std::uint64_t>(XML_GetCurrentByteIndex(parser.get()));
    XML_StopParser(parser.get(), XML_FALSE);
}

Status DumpHeader::State::checkKind() const
{
    if (!rootName.empty() && rootName != "mediawiki")
        return badInput(fmt::format("the root element is <{}>, not <mediawiki>", rootName),
                        "use a MediaWiki export, such as enwiki-latest-pages-articles.xml.bz2");
    if (!isUnicode(encoding))
        return badInput(fmt::format("the dump is in {}", encoding), "convert it to UTF-8 first, with iconv");
    return {};
}

DumpHeader::DumpHeader() : m_state(std::make_unique<State>())
{
    XML_ParserStruct* parser = m_state->parser.get();
    XML_SetUserData(parser, m_state.get());
    XML_SetElementHandler(
        parser,
        [](void* state, const char* name, const char** attributes) {
            static_cast<State*>(state)->start(name, attributes);
        },
        [](void* state, const char*) { static_cast<State*>(state)->end(); });
    XML_SetCharacterDataHandler(parser, [](void* state, const char* text, int size) {
        static_cast<State*>(state)->characters.append(text, static_cast<std::size_t>(size));
    });
    XML_SetXmlDeclHandler(parser, [](void* state, const char*, const char* encoding, int) {
        if (encoding)
            static_cast<State*>(state)->encoding = encoding;
    });
}
DumpHeader::DumpHeader(DumpHeader&&) noexcept = default;
DumpHeader& DumpHeader::operator=(DumpHeader&&) noexcept = default;
DumpHeader::~DumpHeader() = default;

Result<std::optional<std::uint64_t>> DumpHeader::feed(std::string_view bytes, bool last)
{
    const XmlParser& parser = m_state->parser;
    const auto status = XML_Parse(parser.get(), bytes.data(), static_cast<int>(bytes.size()), last);
    TRAINYARD_TRY_STATUS(m_state->checkKind());
    if (m_state->size || status == XML_STATUS_OK)
        return m_state->size;
    if (last && endsInTheMiddle(XML_GetErrorCode(parser.get())))
        return badInput("the XML ends unexpectedly", "the dump is truncated; fetch it again");
    return badInput(xmlProblem(parser),
                    "the file is not a MediaWiki export, or its download went wrong; fetch it again");
}

SiteInfo DumpHeader::takeSite()
{
    if (m_state->site.language.empty())
        m_state->site.language = languageOf(m_state->databaseName);
    return std::move(m_state->site);
}

} // namespace trainyard
