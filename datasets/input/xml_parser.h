#pragma once

#include <cstring>
#include <expat.h>
#include <memory>
#include <string>

#include <fmt/format.h>

namespace trainyard {

struct XmlParserDeleter {
    void operator()(XML_ParserStruct* parser) const { XML_ParserFree(parser); }
};
using XmlParser = std::unique_ptr<XML_ParserStruct, XmlParserDeleter>;

/// Always parses UTF-8, whatever the XML declaration says: UTF-16 was converted before.
inline XmlParser makeXmlParser()
{
    return XmlParser(XML_ParserCreate("UTF-8"));
}

/// Returns the value of an attribute in expat's list; nullptr if it is missing.
inline const char* attributeIn(const char** attributes, const char* name)
{
    for (; *attributes; attributes += 2) {
        if (std::strcmp(attributes[0], name) == 0)
            return attributes[1];
    }
    return nullptr;
}

/// Returns true for the errors that a truncated file causes.
inline bool endsInTheMiddle(XML_Error error)
{
    return error == XML_ERROR_NO_ELEMENTS || error == XML_ERROR_UNCLOSED_TOKEN ||
           error == XML_ERROR_PARTIAL_CHAR || error == XML_ERROR_UNCLOSED_CDATA_SECTION;
}

/// Describes the parser's error. `linesBefore`: lines of the file before the parsed text.
inline std::string xmlProblem(const XmlParser& parser, std::uint64_t linesBefore = 0)
{
    return fmt::format("the XML is damaged at line {}: {}",
                       linesBefore + XML_GetCurrentLineNumber(parser.get()),
                       XML_ErrorString(XML_GetErrorCode(parser.get())));
}

} // namespace trainyard
