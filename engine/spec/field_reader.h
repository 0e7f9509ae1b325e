#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "engine/base/units.h"
#include "engine/spec/diagnostic.h"
#include "engine/spec/names.h"

namespace trainyard {

/// Reads the known keys of one JSON object and complains about the rest. Each read() leaves its target alone
/// when the key is absent or wrong; wrong ones add a diagnostic with the key's path.
class FieldReader {
public:
    FieldReader(const nlohmann::json& object, std::string path, Diagnostics& diagnostics);

    bool has(const char* key) const { return m_object.is_object() && m_object.contains(key); }
    void read(const char* key, bool& target);
    void read(const char* key, int& target);
    void read(const char* key, std::uint64_t& target);
    void read(const char* key, double& target);
    void read(const char* key, std::string& target);
    void read(const char* key, std::vector<std::string>& target);
    /// Whether the key was there and right.
    bool readBytes(const char* key, Bytes& target);
    void readDuration(const char* key, std::chrono::milliseconds& target);
    template <typename Enum>
    void readEnum(const char* key, Enum& target);
    /// The value of a sub-object or array, or null; its contents are read by another reader.
    const nlohmann::json* take(const char* key);
    std::string pathOf(std::string_view key) const;
    void complain(const char* key, std::string message, std::string hint);

    /// Keys of the object that nobody asked for, in its order.
    std::vector<std::string> unread() const;
    /// Every key that somebody asked for.
    const std::vector<std::string>& known() const { return m_known; }
    /// Reports every key that nobody asked for. Call it last.
    void finish();

private:
    const nlohmann::json* find(const char* key);
    std::string hintFor(const std::string& unknownKey) const;

    const nlohmann::json& m_object;
    std::string m_path;
    Diagnostics& m_diagnostics;
    std::vector<std::string> m_known;
};

template <typename Enum>
void FieldReader::readEnum(const char* key, Enum& target)
{
    std::string name;
    read(key, name);
    if (name.empty())
        return;
    if (const auto value = enumFromName<Enum>(name))
        target = *value;
    else
        complain(key, "unknown value \"" + name + "\"", "use one of: " + std::string(acceptedNames<Enum>()));
}

/// Runs `fields` on the sub-object `key`, if there is one, and then reports its unknown keys.
template <typename Fields>
void readSection(FieldReader& parent, const char* key, Diagnostics& diagnostics, Fields fields)
{
    const auto* json = parent.take(key);
    if (!json)
        return;
    FieldReader reader(*json, parent.pathOf(key), diagnostics);
    fields(reader);
    reader.finish();
}

/// Runs `item` on each object of the array `key`, if there is one, and then reports its unknown keys.
template <typename Item>
void readItems(FieldReader& parent, const char* key, Diagnostics& diagnostics, Item item)
{
    const auto* json = parent.take(key);
    if (!json)
        return;
    if (!json->is_array()) {
        parent.complain(key, "must be a list", "write it as [ { ... }, { ... } ]");
        return;
    }
    for (std::size_t i = 0; i < json->size(); ++i) {
        FieldReader reader(json->at(i), parent.pathOf(key) + "[" + std::to_string(i) + "]", diagnostics);
        item(reader);
        reader.finish();
    }
}

/// The candidate with the smallest edit distance, if it is close enough to be a slip of the pen; else empty.
std::string nearestName(std::string_view name, const std::vector<std::string>& candidates);

} // namespace trainyard
