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

/// UTF-8 whatever the XML declaration says: UTF-16 is converted before.
inline XmlParser makeXmlParser()
{
    return XmlParser(XML_ParserCreate("UTF-8"));
}

/// Value of an attribute in expat's list; nullptr when it is not there.
inline const char* attributeIn(const char** attributes, const char* name)
{
    for (; *attributes; attributes += 2) {
        if (std::strcmp(attributes[0], name) == 0)
            return attributes[1];
    }
    return nullptr;
}

/// True for the errors that a file gives which is cut off.
inline bool endsInTheMiddle(XML_Error error)
{
    return error == XML_ERROR_NO_ELEMENTS || error == XML_ERROR_UNCLOSED_TOKEN ||
           error == XML_ERROR_PARTIAL_CHAR || error == XML_ERROR_UNCLOSED_CDATA_SECTION;
}

/// What the parser stumbled over. `linesBefore`: lines of the file that the parser has not seen.
inline std::string xmlProblem(const XmlParser& parser, std::uint64_t linesBefore = 0)
{
    return fmt::format("the XML is damaged at line {}: {}",
                       linesBefore + XML_GetCurrentLineNumber(parser.get()),
                       XML_ErrorString(XML_GetErrorCode(parser.get())));
}

} // namespace trainyard
