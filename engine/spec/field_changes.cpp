#include "engine/spec/field_changes.h"

#include <nlohmann/json.hpp>

#include "engine/spec/spec_json.h"

namespace trainyard {

namespace {

using Json = nlohmann::json;

/// Lists are values: one changed element is a new list.
void collect(const Json& before, const Json& after, const std::string& path,
             std::vector<FieldChange>& changes)
{
    if (before == after)
        return;
    if (!after.is_object()) {
        changes.push_back({path, after.dump()});
        return;
    }
    for (const auto& [name, value] : after.items())
        collect(before.is_object() ? before.value(name, Json()) : Json(), value,
                path.empty() ? name : path + "." + name, changes);
}

} // namespace

std::vector<FieldChange> changesBetween(const RunSpec& before, const RunSpec& after)
{
    std::vector<FieldChange> changes;
    collect(Json::parse(toJson(before)), Json::parse(toJson(after)), {}, changes);
    return changes;
}

std::string textOf(const std::vector<FieldChange>& changes)
{
    std::string text;
    for (const FieldChange& change : changes)
        text += (text.empty() ? "" : ", ") + change.path + " " + change.value;
    return text;
}

} // namespace trainyard
