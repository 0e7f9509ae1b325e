#include "engine/spec/key_places.h"

#include <algorithm>
#include <map>
#include <vector>

#include <nlohmann/json.hpp>

#include "engine/spec/spec_json.h"

namespace trainyard {

namespace {

using Places = std::map<std::string, std::vector<std::string>, std::less<>>; // key to sections

/// `section` as a hint names it.
std::string placeName(const std::string& section)
{
    return section.empty() ? "at the top level" : "under \"" + section + "\"";
}

void collect(const nlohmann::json& object, const std::string& section, Places& places)
{
    for (const auto& [key, value] : object.items()) {
        auto& found = places[key];
        found.push_back(placeName(section));
        const std::string inner = section.empty() ? key : section + "." + key;
        if (value.is_object())
            collect(value, inner, places);
        else if (value.is_array() && !value.empty() && value.front().is_object())
            collect(value.front(), inner + "[]", places);
    }
}

/// Read off a specification that has every key, those that are usually left out too.
Places allPlaces()
{
    RunSpec spec;
    spec.model.preset = "bert-tiny";
    spec.cluster.nodes.front().memory = kGiB;
    spec.cluster.nodes.front().hardware = "cpu-node";
    Places places;
    collect(nlohmann::json::parse(toJson(spec)), {}, places);
    return places;
}

} // namespace

std::string placesOfKey(std::string_view key)
{
    static const Places places = allPlaces();
    const auto found = places.find(key);
    if (found == places.end())
        return {};
    std::string text;
    for (const std::string& place : found->second)
        text += (text.empty() ? "" : " or ") + place;
    return text;
}

} // namespace trainyard
