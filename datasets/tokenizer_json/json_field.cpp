#include "datasets/tokenizer_json/json_field.h"

#include <algorithm>

#include <fmt/format.h>

namespace trainyard {

namespace {

/// The value for a message, not too long.
std::string shown(const nlohmann::json& value)
{
    constexpr std::size_t kMost = 60;
    if (value.is_structured() && value.size() > 4)
        return value.is_array() ? fmt::format("a list of {}", value.size()) : "an object";
    std::string text = value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
    return text.size() <= kMost ? text : text.substr(0, kMost) + "...";
}

} // namespace

JsonField JsonField::member(std::string_view key) const
{
    static const nlohmann::json kNull; // stands for absent members
    const auto found = m_value->is_object() ? m_value->find(key) : m_value->end();
    std::string place = m_place.empty() ? std::string(key) : fmt::format("{}.{}", m_place, key);
    return {found == m_value->end() ? kNull : *found, std::move(place)};
}

Result<std::vector<JsonField>> JsonField::elements() const
{
    if (!m_value->is_array() && !isNull())
        return isNo("list");
    std::vector<JsonField> elements;
    for (std::size_t i = 0; i < m_value->size(); ++i)
        elements.emplace_back((*m_value)[i], fmt::format("{}[{}]", m_place, i));
    return elements;
}

Result<std::string> JsonField::text() const
{
    if (!m_value->is_string())
        return isNo("text");
    return m_value->get<std::string>();
}

Result<bool> JsonField::flag(std::optional<bool> byDefault) const
{
    if (isNull() && byDefault)
        return *byDefault;
    if (!m_value->is_boolean())
        return isNo("true or false");
    return m_value->get<bool>();
}

Result<std::int64_t> JsonField::number() const
{
    if (!m_value->is_number_integer())
        return isNo("whole number");
    return m_value->get<std::int64_t>();
}

Status JsonField::hasOnly(std::initializer_list<std::string_view> keys) const
{
    if (!m_value->is_object())
        return isNo("object");
    for (const auto& [key, value] : m_value->items()) {
        if (std::ranges::find(keys, key) == keys.end())
            return member(key).unsupported("this key may change the ids in a way that is not known here");
    }
    return {};
}

Error JsonField::unsupported(std::string hint) const
{
    return badInput(fmt::format("{} is {}, which is not supported", m_place, shown(*m_value)),
                    std::move(hint));
}

Error JsonField::isNo(std::string_view type) const
{
    return badInput(isNull() ? fmt::format("{} is missing", m_place)
                             : fmt::format("{} is {}, not a {}", m_place, shown(*m_value), type),
                    "use a tokenizer.json as Hugging Face tokenizers write it");
}

} // namespace trainyard
