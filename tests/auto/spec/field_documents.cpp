#include "tests/auto/spec/field_documents.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "engine/base/units.h"
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
    case FieldKind::Override:
        return {{"$ref", "#" + placeInSchema(field.key()).to_string()}};
    case FieldKind::List:
        return {{"type", "array"}, {"minItems", 1}, {"items", objectSchema(field.info)}};
    case FieldKind::Texts:
        return {{"type", "array"}, {"items", {{"type", "string"}}}};
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

namespace {

/// "from 1 to 65536", "above 0"; empty when every number is allowed.
std::string rangeText(const ListedField& field)
{
    const auto shown = [&](double bound) {
        switch (field.kind) {
        case FieldKind::Size:
            return formatBytes(static_cast<Bytes>(bound));
        case FieldKind::Duration:
            return formatDuration(std::chrono::milliseconds(static_cast<std::int64_t>(bound)));
        default:
            return fmt::format("{:.0f}", bound);
        }
    };
    const Range& range = field.info.range;
    const std::string min = range.hasMin() ? shown(range.min) : std::string();
    const std::string max = range.hasMax() ? shown(range.max) : std::string();
    if (range.isEverything())
        return {};
    if (!range.hasMax())
        return (range.withMin ? "at least " : "above ") + min;
    if (!range.hasMin())
        return "at most " + max;
    return fmt::format("{} {} {} {}", range.withMin ? "from" : "above", min,
                       range.withMax   ? "to"
                       : range.withMin ? "to below"
                                       : "and below",
                       max);
}

std::string typeText(const ListedField& field)
{
    switch (field.kind) {
    case FieldKind::Flag:
        return "`true` or `false`";
    case FieldKind::Integer:
        return "whole number";
    case FieldKind::Number:
        return "number";
    case FieldKind::Size:
        return "size";
    case FieldKind::Duration:
        return "duration";
    case FieldKind::Choice:
        return fmt::format("`{}`", fmt::join(field.choices, "`, `"));
    case FieldKind::Partition:
        return fmt::format("`{}`, or a list of whole numbers", fmt::join(field.choices, "`, `"));
    case FieldKind::Section:
    case FieldKind::Override:
        return "object";
    case FieldKind::List:
        return "list of objects";
    case FieldKind::Texts:
        return "list of texts";
    case FieldKind::Text:
        break;
    }
    return "text";
}

std::string valuesText(const ListedField& field)
{
    const std::string range = rangeText(field);
    return range.empty() ? typeText(field) : typeText(field) + " " + range;
}

/// A vertical bar would end the cell.
std::string cellText(std::string text)
{
    for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2)
        text.insert(at, "\\");
    return text;
}

std::string rowOf(const ListedField& field)
{
    const std::string unit =
        field.info.unit[0] && field.kind == FieldKind::Integer ? fmt::format(" ({})", field.info.unit) : "";
    const std::string source = field.info.source[0] ? fmt::format(" See {}.", field.info.source) : "";
    return fmt::format("| `{}` | {}{} | {} | {}.{} |\n", field.key(), valuesText(field), unit,
                       field.defaultJson.empty() ? "" : "`" + field.defaultJson + "`",
                       cellText(field.info.help), source);
}

std::string sectionOf(std::string_view section, std::string_view help)
{
    std::string text =
        section.empty() ? "\n## Top level\n\n" : fmt::format("\n## {}\n\n{}.\n\n", section, help);
    text += "| key | values | default | meaning |\n|---|---|---|---|\n";
    for (const ListedField& field : fieldList()) {
        if (field.section() == section && field.kind != FieldKind::Section)
            text += rowOf(field);
    }
    return text;
}

} // namespace

std::string fieldManual()
{
    std::string text = "# Fields of a run specification\n\n"
                       "Made from the descriptions in `*_fields.h`; `TRAINYARD_WRITE_GOLDEN=1 "
                       "build/release/tests/tests_spec "
                       "tst_spec_description`\nwrites this file and the JSON schema. Sizes and durations are "
                       "texts with a unit: "
                       "`\"25 MiB\"`, `\"15 s\"`.\n";
    text += sectionOf({}, {});
    for (const ListedField& field : fieldList()) {
        if (field.kind == FieldKind::Section)
            text += sectionOf(field.path, field.info.help);
        else if (field.kind == FieldKind::List)
            text += sectionOf(field.path + "[]", field.info.help);
    }
    return text;
}

} // namespace trainyard
