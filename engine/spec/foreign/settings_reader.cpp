#include "engine/spec/foreign/settings_reader.h"

#include <fmt/format.h>

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

SettingsReader::SettingsReader(const nlohmann::json& settings, std::string path, Explanations known,
                               ImportedSpec& imported)
    : m_settings(settings)
    , m_path(std::move(path))
    , m_known(known)
    , m_imported(imported)
    , m_fields(settings, m_path, imported.problems)
{
}

std::optional<int> SettingsReader::getCount(const char* key, int most)
{
    const auto value = get<int>(key);
    if (!value || (*value >= 1 && *value <= most))
        return value;
    complain(key, fmt::format("is {}", *value), fmt::format("must be from 1 to {}", most));
    return std::nullopt;
}

void SettingsReader::readCount(const char* key, int most, int& target)
{
    if (const auto value = getCount(key, most))
        target = *value;
}

void SettingsReader::readBucketSize(const char* key, Bytes& bucketSize)
{
    const auto elements = get<double>(key);
    if (!elements)
        return;
    if (*elements >= 1 && *elements <= 1e12)
        bucketSize = static_cast<Bytes>(*elements) * kBytesPerBucketElement;
    else
        complain(key, fmt::format("is {}", *elements), "must be from 1 to 1e12");
}

void SettingsReader::complain(const char* key, std::string message, std::string hint)
{
    m_fields.complain(key, std::move(message), std::move(hint));
}

std::string SettingsReader::textOf(const char* key) const
{
    return has(key) ? m_settings.at(key).dump() : "absent";
}

void SettingsReader::omit(const char* key, std::string reason, std::string advice)
{
    m_imported.omissions.push_back({m_fields.pathOf(key), textOf(key), std::move(reason), std::move(advice)});
}

std::string SettingsReader::adviceFor(const std::string& unknownKey) const
{
    const std::string nearest = nearestName(unknownKey, m_fields.known());
    return nearest.empty() ? "look up what it does, and set that by hand"
                           : "did you mean \"" + nearest + "\"?";
}

void SettingsReader::finish()
{
    for (const std::string& key : m_fields.unread()) {
        const std::string field = m_fields.pathOf(key);
        const Explanation* known = explanationOf(field, m_known);
        if (!known)
            known = explanationOf(key, m_known);
        if (known)
            omit(key.c_str(), std::string(known->reason), std::string(known->advice));
        else
            omit(key.c_str(), "Trainyard does not know this setting", adviceFor(key));
    }
}

} // namespace trainyard
