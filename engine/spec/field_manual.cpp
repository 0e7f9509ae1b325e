#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/spec/field_list.h"
#include "engine/spec/spec_schema.h"

namespace trainyard {

namespace {

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
        return "object";
    case FieldKind::List:
        return "list of objects";
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
