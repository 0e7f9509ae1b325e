#include "engine/spec/field_changes.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/spec/field_json.h"
#include "engine/spec/field_list.h"

namespace trainyard {

namespace {

/// "layout.schedule" -> "/layout/schedule".
OrderedJson::json_pointer pointerTo(std::string path)
{
    std::replace(path.begin(), path.end(), '.', '/');
    return OrderedJson::json_pointer("/" + path);
}

/// Of a field that is not written, the default; null where it has none.
OrderedJson valueIn(const OrderedJson& object, const ListedField& field)
{
    const auto place = pointerTo(field.path);
    if (object.contains(place))
        return object.at(place);
    return field.defaultJson.empty() ? OrderedJson() : OrderedJson::parse(field.defaultJson);
}

bool isValue(const ListedField& field)
{
    return field.kind != FieldKind::Section && field.path.find("[]") == std::string::npos;
}

std::string plainText(const OrderedJson& value)
{
    if (value.is_number_float())
        return fmt::format("{}", value.get<double>()); // 65536, where JSON has 65536.0
    return value.is_string() ? value.get<std::string>() : value.dump();
}

/// The fields of a list's elements are apart: "cluster.nodes[0].host".
void collectTexts(const OrderedJson& value, const std::string& path, std::vector<FieldChange>& texts)
{
    if (value.is_object()) {
        for (const auto& [key, inner] : value.items())
            collectTexts(inner, path.empty() ? key : path + "." + key, texts);
    } else if (value.is_array()) {
        for (std::size_t i = 0; i < value.size(); ++i)
            collectTexts(value[i], path + "[" + std::to_string(i) + "]", texts);
    } else
        texts.push_back({path, plainText(value)});
}

} // namespace

std::vector<FieldChange> changesBetween(const RunSpec& earlier, const RunSpec& later)
{
    const OrderedJson was = objectJson(earlier);
    const OrderedJson is = objectJson(later);
    std::vector<FieldChange> changes;
    for (const ListedField& field : fieldList()) {
        if (!isValue(field))
            continue;
        const OrderedJson before = valueIn(was, field);
        OrderedJson value = valueIn(is, field);
        if (field.kind == FieldKind::List && value.is_null() && !before.is_null())
            value = OrderedJson::array();
        if (!value.is_null() && value != before)
            changes.push_back({field.path, value.dump()});
    }
    std::ranges::sort(changes, {}, &FieldChange::path);
    return changes;
}

std::vector<FieldChange> fieldTexts(const RunSpec& spec)
{
    std::vector<FieldChange> texts;
    collectTexts(objectJson(spec), {}, texts);
    return texts;
}

std::string textOf(const std::vector<FieldChange>& changes)
{
    std::string text;
    for (const FieldChange& change : changes)
        text += (text.empty() ? "" : ", ") + change.path + " " + change.value;
    return text;
}

} // namespace trainyard
