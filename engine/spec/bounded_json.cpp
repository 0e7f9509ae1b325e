#include "engine/spec/bounded_json.h"

#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "engine/base/json_problem.h"
#include "engine/base/untrusted_text.h"

namespace trainyard {

namespace {

using Json = nlohmann::json;

/// Finds the first key that an object has twice, of which a parser keeps one without a word.
class KeyWatch {
public:
    void see(Json::parse_event_t event, const Json& value)
    {
        if (event == Json::parse_event_t::object_start)
            m_objects.emplace_back();
        else if (event == Json::parse_event_t::object_end)
            m_objects.pop_back();
        else if (event == Json::parse_event_t::key)
            seeKey(value.get<std::string>());
    }
    /// "layout.data"; empty where no key is there twice.
    const std::string& twice() const { return m_twice; }

private:
    struct Object {
        std::set<std::string> keys;
        std::string current;
    };

    void seeKey(std::string key)
    {
        Object& object = m_objects.back();
        object.current = std::move(key);
        if (!object.keys.insert(object.current).second && m_twice.empty())
            m_twice = path();
    }

    std::string path() const
    {
        std::string path;
        for (const Object& object : m_objects)
            path += (path.empty() ? "" : ".") + object.current;
        return path;
    }

    std::vector<Object> m_objects; ///< that are open, the outermost first
    std::string m_twice;
};

} // namespace

Result<Json> parseBoundedJson(std::string_view text, const JsonLimits& limits)
{
    TRAINYARD_TRY_STATUS(checkJsonLimits(text, limits));
    KeyWatch watch;
    try {
        Json json = Json::parse(text, [&watch](int, Json::parse_event_t event, Json& value) {
            watch.see(event, value);
            return true;
        });
        if (!watch.twice().empty())
            return badInput(shownMessage(fmt::format("\"{}\" is given twice", watch.twice())),
                            "keep the one that counts");
        return json;
    } catch (const Json::parse_error& error) {
        return badInput(jsonProblem(error, text), "check brackets, commas and quotes there");
    } catch (const Json::out_of_range& error) {
        return badInput("not valid JSON: " + jsonProblem(error), "write a smaller one");
    }
}

} // namespace trainyard
