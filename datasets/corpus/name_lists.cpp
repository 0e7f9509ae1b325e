#include "datasets/corpus/name_lists.h"

#include <algorithm>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "datasets/corpus/embedded_wiki_files.h"
#include "engine/base/check.h"

namespace trainyard {

namespace {

using Json = nlohmann::json;

/// Remembers the keys of the objects that are open, because the parser keeps only the last of two equal ones.
class RepeatedKey {
public:
    bool operator()(int, Json::parse_event_t event, const Json& parsed)
    {
        if (event == Json::parse_event_t::object_start)
            m_open.emplace_back();
        else if (event == Json::parse_event_t::object_end)
            m_open.pop_back();
        else if (event == Json::parse_event_t::key && !m_open.back().insert(parsed.get<std::string>()).second)
            m_found = parsed.get<std::string>();
        return true;
    }
    const std::optional<std::string>& found() const { return m_found; }

private:
    std::vector<std::set<std::string>> m_open;
    std::optional<std::string> m_found;
};

Status addNames(const Json& value, std::vector<std::string>& keys, std::vector<ListedName>& names)
{
    if (value.is_string()) {
        names.push_back({keys, value.get<std::string>()});
        return names.back().name.empty() ? Status(names.back().problem("empty name")) : Status();
    }
    if (!value.is_structured())
        return ListedName{keys, value.dump()}.problem("neither a name nor a list");
    for (const auto& item : value.items()) {
        if (value.is_object())
            keys.push_back(item.key());
        TRAINYARD_TRY_STATUS(addNames(item.value(), keys, names));
        if (value.is_object())
            keys.pop_back();
    }
    return {};
}

} // namespace

Error ListedName::problem(std::string_view text) const
{
    return badInput(fmt::format("{}: \"{}\": {}", fmt::join(keys, "."), name, text));
}

Result<std::vector<ListedName>> parseNameList(std::string_view json)
{
    RepeatedKey repeated;
    const Json parsed = Json::parse(json, std::ref(repeated), false);
    if (!parsed.is_object())
        return badInput("not a JSON object");
    if (repeated.found())
        return badInput(fmt::format("the key \"{}\" occurs twice", *repeated.found()));
    std::vector<std::string> keys;
    std::vector<ListedName> names;
    TRAINYARD_TRY_STATUS(addNames(parsed, keys, names));
    return names;
}

std::string_view embeddedNameList(std::string_view name)
{
    const auto files = embeddedWikiFiles();
    const auto file = std::find_if(files.begin(), files.end(),
                                   [name](const EmbeddedFile& each) { return each.name == name; });
    TRAINYARD_CHECK(file != files.end());
    return file->content;
}

std::vector<std::string> embeddedNames(std::string_view list, std::string_view key)
{
    std::vector<std::string> names;
    for (ListedName& listed : parseNameList(embeddedNameList(list)).value()) {
        if (listed.keys.front() == key)
            names.push_back(std::move(listed.name));
    }
    return names;
}

} // namespace trainyard
