#include "engine/spec/foreign/foreign_json.h"

#include "engine/spec/bounded_json.h"

namespace trainyard {

nlohmann::json parseForeignJson(std::string_view text, ImportedSpec& imported)
{
    const auto json = parseBoundedJson(text);
    if (json.ok())
        return *json;
    imported.problems.push_back({"", json.error().message,
                                 json.error().hint.empty()
                                     ? "give a file that the tool itself has read"
                                     : json.error().hint + "; a Python dictionary must be written as JSON "
                                                           "(true, false, null, double quotes)"});
    return nullptr;
}

} // namespace trainyard
