#include "engine/spec/field_reader.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "engine/base/untrusted_text.h"
#include "engine/spec/field_list.h"

namespace trainyard {

namespace {

constexpr std::size_t kMaxNameLength = 256; ///< that somebody may have mistyped

std::size_t editDistance(std::string_view a, std::string_view b)
{
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t substitute = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({row[j + 1] + 1, row[j] + 1, substitute});
        }
    }
    return row.back();
}

/// Where a specification has a key of this name, for hints: "under \"optimizer\"", "at the top level"; empty
/// when there is none.
std::string placesOfKey(std::string_view key)
{
    std::string text = key == "trainyard" ? "at the top level" : "";
    for (const ListedField& field : fieldList()) {
        if (field.key() != key)
            continue;
        text += text.empty() ? "" : " or ";
        text += field.section().empty() ? "at the top level" : fmt::format("under \"{}\"", field.section());
    }
    return text;
}

} // namespace

std::string nearestName(std::string_view name, const std::vector<std::string>& candidates)
{
    if (name.size() > kMaxNameLength)
        return {};
    std::string best;
    std::size_t bestDistance = std::max<std::size_t>(2, name.size() / 2) + 1;
    for (const auto& candidate : candidates) {
        const std::size_t distance = editDistance(name, candidate);
        if (distance < bestDistance) {
            bestDistance = distance;
            best = candidate;
        }
    }
    return best;
}

FieldReader::FieldReader(const nlohmann::json& object, std::string path, Diagnostics& diagnostics)
    : m_object(object), m_path(std::move(path)), m_diagnostics(diagnostics)
{
    if (!m_object.is_object())
        m_diagnostics.push_back({m_path, "must be an object", "write it as { \"key\": value, ... }"});
}

std::string FieldReader::pathOf(std::string_view key) const
{
    return m_path.empty() ? std::string(key) : m_path + "." + std::string(key);
}

void FieldReader::complain(const char* key, std::string message, std::string hint)
{
    m_diagnostics.push_back({pathOf(key), shownMessage(message), std::move(hint)});
}

const nlohmann::json* FieldReader::find(const char* key)
{
    m_known.emplace_back(key);
    return has(key) ? &m_object.at(key) : nullptr;
}

const nlohmann::json* FieldReader::take(const char* key)
{
    return find(key);
}

void FieldReader::read(const char* key, bool& target)
{
    const auto* value = find(key);
    if (!value)
        return;
    if (value->is_boolean())
        target = value->get<bool>();
    else
        complain(key, "must be true or false, not " + value->dump(), "write it without quotes");
}

void FieldReader::read(const char* key, int& target)
{
    const auto* value = find(key);
    if (!value)
        return;
    constexpr int kMin = std::numeric_limits<int>::min();
    constexpr int kMax = std::numeric_limits<int>::max();
    if (!value->is_number_integer())
        complain(key, "must be a whole number, not " + value->dump(),
                 "write it without unit, quotes or fraction");
    else if (*value > kMax)
        complain(key, "is " + value->dump(), "must be at most " + std::to_string(kMax));
    else if (*value < kMin)
        complain(key, "is " + value->dump(), "must be at least " + std::to_string(kMin));
    else
        target = value->get<int>();
}

void FieldReader::read(const char* key, std::uint64_t& target)
{
    const auto* value = find(key);
    if (!value)
        return;
    if (value->is_number_unsigned())
        target = value->get<std::uint64_t>();
    else
        complain(key, "must be a whole number of at least 0, not " + value->dump(), "e.g. 42");
}

void FieldReader::read(const char* key, double& target)
{
    const auto* value = find(key);
    if (!value)
        return;
    if (value->is_number())
        target = value->get<double>();
    else
        complain(key, "must be a number, not " + value->dump(),
                 "write it without unit or quotes, e.g. 0.001");
}

void FieldReader::read(const char* key, std::string& target)
{
    const auto* value = find(key);
    if (!value)
        return;
    if (value->is_string())
        target = value->get<std::string>();
    else
        complain(key, "must be a text, not " + value->dump(), "put it in quotes");
}

void FieldReader::read(const char* key, std::vector<std::string>& target)
{
    const auto* value = find(key);
    if (!value)
        return;
    const auto isText = [](const nlohmann::json& item) { return item.is_string(); };
    if (value->is_array() && std::all_of(value->begin(), value->end(), isText))
        target = value->get<std::vector<std::string>>();
    else
        complain(key, "must be a list of texts, not " + value->dump(), "write it as [\"one\", \"two\"]");
}

bool FieldReader::readBytes(const char* key, Bytes& target)
{
    const auto* value = find(key);
    if (!value)
        return false;
    const auto bytes = parseBytes(value->is_string() ? value->get<std::string>() : value->dump());
    if (bytes.ok())
        target = bytes.value();
    else
        complain(key, bytes.error().message, bytes.error().hint);
    return bytes.ok();
}

void FieldReader::readDuration(const char* key, std::chrono::milliseconds& target)
{
    const auto* value = find(key);
    if (!value)
        return;
    const auto duration = parseDuration(value->is_string() ? value->get<std::string>() : value->dump());
    if (duration.ok())
        target = duration.value();
    else
        complain(key, duration.error().message, duration.error().hint);
}

std::string FieldReader::hintFor(const std::string& key) const
{
    if (const std::string places = placesOfKey(key); !places.empty())
        return "it belongs " + places;
    const std::string nearest = nearestName(key, m_known);
    return nearest.empty() ? "remove it" : "did you mean \"" + nearest + "\"?";
}

std::vector<std::string> FieldReader::unread() const
{
    std::vector<std::string> keys;
    if (!m_object.is_object())
        return keys;
    for (const auto& [key, value] : m_object.items()) {
        if (std::find(m_known.begin(), m_known.end(), key) == m_known.end())
            keys.push_back(key);
    }
    return keys;
}

void FieldReader::finish()
{
    for (const std::string& key : unread())
        m_diagnostics.push_back(
            {shownMessage(pathOf(key)), shownMessage("unknown key \"" + key + "\""), hintFor(key)});
}

} // namespace trainyard
