#include "engine/spec/spec_schema.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/spec/field_list.h"
#include "engine/spec/spec_json.h"

namespace trainyard {

namespace {

using Schema = nlohmann::ordered_json;

/// "cluster.nodes[].slots" -> "/properties/cluster/properties/nodes/items/properties/slots".
Schema::json_pointer placeInSchema(std::string_view path)
{
    Schema::json_pointer place;
    while (!path.empty()) {
        const std::size_t end = std::min(path.find('.'), path.size());
        std::string key(path.substr(0, end));
        const bool isList = key.ends_with("[]");
        if (isList)
            key.resize(key.size() - 2);
        place = place / "properties" / key;
        if (isList)
            place = place / "items";
        path.remove_prefix(std::min(end + 1, path.size()));
    }
    return place;
}

std::string descriptionOf(const FieldInfo& info)
{
    const std::string source = info.source[0] ? fmt::format(" See {}.", info.source) : std::string();
    return fmt::format("{}.{}", info.help, source);
}

Schema objectSchema(const FieldInfo& info)
{
    return {{"type", "object"},
            {"description", descriptionOf(info)},
            {"additionalProperties", false},
            {"properties", Schema::object()}};
}

Schema numberJson(double bound)
{
    const auto whole = static_cast<std::int64_t>(bound);
    return double(whole) == bound ? Schema(whole) : Schema(bound);
}

Schema numberSchema(const char* type, const Range& range)
{
    Schema schema{{"type", type}};
    if (range.hasMin())
        schema[range.withMin ? "minimum" : "exclusiveMinimum"] = numberJson(range.min);
    if (range.hasMax())
        schema[range.withMax ? "maximum" : "exclusiveMaximum"] = numberJson(range.max);
    return schema;
}

Schema textSchema(std::string_view pattern)
{
    Schema schema{{"type", "string"}};
    if (!pattern.empty())
        schema["pattern"] = pattern;
    return schema;
}

Schema partitionSchema(const ListedField& field)
{
    const Schema counts{{"type", "array"}, {"items", {{"type", "integer"}, {"minimum", 1}}}, {"minItems", 1}};
    return {{"anyOf", Schema::array({{{"enum", field.choices}}, counts})}};
}

Schema typeSchema(const ListedField& field)
{
    switch (field.kind) {
    case FieldKind::Flag:
        return {{"type", "boolean"}};
    case FieldKind::Integer:
        return numberSchema("integer", field.info.range);
    case FieldKind::Number:
        return numberSchema("number", field.info.range);
    case FieldKind::Size:
        return textSchema("^[0-9.]+ ?(B|KiB|MiB|GiB|TiB)$");
    case FieldKind::Duration:
        return textSchema("^[0-9.]+ ?(ms|s|min|h)$");
    case FieldKind::Choice:
        return {{"enum", field.choices}};
    case FieldKind::Partition:
        return partitionSchema(field);
    case FieldKind::Section:
        return objectSchema(field.info);
    case FieldKind::List:
        return {{"type", "array"}, {"minItems", 1}, {"items", objectSchema(field.info)}};
    case FieldKind::Text:
        break;
    }
    return textSchema(field.info.pattern);
}

Schema fieldSchema(const ListedField& field)
{
    Schema schema = typeSchema(field);
    if (field.kind == FieldKind::Section || field.kind == FieldKind::List)
        return schema;
    if (!field.defaultJson.empty())
        schema["default"] = Schema::parse(field.defaultJson);
    schema["description"] = descriptionOf(field.info);
    return schema;
}

} // namespace

std::string specSchema()
{
    Schema schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                  {"title", fmt::format("Trainyard RunSpec, version {}", kSpecVersion)},
                  {"type", "object"},
                  {"additionalProperties", false},
                  {"required", {"trainyard"}}};
    schema["properties"]["trainyard"] = {{"const", kSpecVersion}, {"description", "Version of this format."}};
    for (const ListedField& field : fieldList())
        schema[placeInSchema(field.path)] = fieldSchema(field);
    return schema.dump(2) + "\n";
}

} // namespace trainyard
