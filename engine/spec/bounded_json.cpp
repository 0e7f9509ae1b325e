#include "engine/spec/bounded_json.h"

namespace trainyard {

Result<nlohmann::json> parseBoundedJson(std::string_view text, const JsonLimits& limits)
{
    TRAINYARD_TRY_STATUS(checkJsonLimits(text, limits));
    auto json = nlohmann::json::parse(text, nullptr, false);
    if (json.is_discarded())
        return badInput("is not valid JSON", "check brackets, quotes and commas");
    return json;
}

} // namespace trainyard
