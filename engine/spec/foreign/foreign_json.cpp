#include "engine/spec/foreign/foreign_json.h"

#include "engine/base/json_limits.h"
#include "engine/spec/text_place.h"

namespace trainyard {

nlohmann::json parseForeignJson(std::string_view text, ImportedSpec& imported)
{
    if (const Status limits = checkJsonLimits(text); !limits.ok()) {
        imported.problems.push_back(
            {"", limits.error().message, "give a file that the tool itself has read"});
        return nullptr;
    }
    try {
        return nlohmann::json::parse(text);
    } catch (const nlohmann::json::parse_error& error) {
        imported.problems.push_back({"", "not valid JSON at " + placeOfByte(text, error.byte),
                                     "check brackets, commas and quotes there; a Python dictionary must be "
                                     "written as JSON (true, false, null, double quotes)"});
        return nullptr;
    }
}

} // namespace trainyard
