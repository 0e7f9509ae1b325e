#include "datasets/tables/class_names.h"

#include <arrow/type.h>
#include <arrow/util/key_value_metadata.h>

namespace trainyard {

namespace {

constexpr const char* kMetadataKey = "huggingface";

/// {"_type": "ClassLabel", "names": [...]}, perhaps in {"_type": "List", "feature": {...}}.
std::vector<std::string> namesIn(const nlohmann::json& feature)
{
    std::vector<std::string> names;
    if (!feature.is_object())
        return names;
    if (feature.value("_type", nlohmann::json()) != "ClassLabel")
        return namesIn(feature.value("feature", nlohmann::json()));
    for (const nlohmann::json& name : feature.value("names", nlohmann::json::array())) {
        if (name.is_string())
            names.push_back(name.get<std::string>());
    }
    return names;
}

nlohmann::json featuresOf(const arrow::Schema& schema)
{
    if (!schema.metadata())
        return {};
    const auto text = schema.metadata()->Get(kMetadataKey);
    const auto metadata =
        text.ok() ? nlohmann::json::parse(*text, nullptr, /*allow_exceptions=*/false) : nlohmann::json();
    const auto info = metadata.is_object() ? metadata.value("info", nlohmann::json()) : nlohmann::json();
    return info.is_object() ? info.value("features", nlohmann::json()) : nlohmann::json();
}

} // namespace

ClassNames ClassNames::of(const arrow::Schema& schema)
{
    ClassNames names;
    const nlohmann::json features = featuresOf(schema);
    if (!features.is_object())
        return names;
    for (const auto& [column, feature] : features.items()) {
        if (auto ofColumn = namesIn(feature); !ofColumn.empty())
            names.m_names.emplace(column, std::move(ofColumn));
    }
    return names;
}

nlohmann::ordered_json ClassNames::named(const std::string& column, nlohmann::ordered_json value) const
{
    const auto found = m_names.find(column);
    if (found == m_names.end())
        return value;
    const auto nameOf = [&](nlohmann::ordered_json& number) {
        const std::int64_t index = number.is_number_integer() ? number.get<std::int64_t>() : -1;
        if (index >= 0 && index < std::ssize(found->second))
            number = found->second[static_cast<std::size_t>(index)];
    };
    if (!value.is_array())
        nameOf(value);
    else
        for (nlohmann::ordered_json& number : value)
            nameOf(number);
    return value;
}

} // namespace trainyard
