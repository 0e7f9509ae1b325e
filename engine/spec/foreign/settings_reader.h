#pragma once

#include <optional>
#include <string>

#include "engine/spec/field_reader.h"
#include "engine/spec/foreign/conversion.h"
#include "engine/spec/foreign/explanation.h"

namespace trainyard {

/// Other tools count a bucket's gradients; Trainyard counts the bytes of their float32 sums.
constexpr Bytes kBytesPerBucketElement = 4;

/// Parses a JSON text of another tool into `imported.problems` or a value; null with a problem when it is no
/// JSON or nests too deep.
nlohmann::json parseForeignJson(std::string_view text, ImportedSpec& imported);

/// Reads one object of another tool's settings. A value of the wrong type is a problem of `imported`; what
/// nobody reads becomes one of its omissions in finish(), explained by the entry of `known` for its path or
/// for its key alone. `settings` and `imported` must outlive the reader.
class SettingsReader {
public:
    SettingsReader(const nlohmann::json& settings, std::string path, Explanations known,
                   ImportedSpec& imported);

    bool has(const char* key) const { return m_fields.has(key); }
    /// The value, or nothing when the key is absent, null or of the wrong type.
    template <typename T>
    std::optional<T> get(const char* key);
    template <typename T>
    T getOr(const char* key, T absent)
    {
        return get<T>(key).value_or(absent);
    }
    /// Leaves the target alone when there is no value.
    template <typename T>
    void read(const char* key, T& target)
    {
        if (auto value = get<T>(key))
            target = *value;
    }
    /// A whole number from 1 to `most`; anything else is a problem.
    std::optional<int> getCount(const char* key, int most);
    void readCount(const char* key, int most, int& target);
    /// Reads a number of gradients, which people write as 5e8 too. Leaves the target alone when it is absent.
    void readBucketSize(const char* key, Bytes& bucketSize);
    /// The value as it stands, for what may have several types; null when absent.
    const nlohmann::json* take(const char* key) { return m_fields.take(key); }

    /// Runs `fields` on a reader of the sub-object `key`, if there is one, and finishes it.
    template <typename Fields>
    void section(const char* key, Fields fields);

    void complain(const char* key, std::string message, std::string hint);
    /// `key` was read, and means something that there is no counterpart for.
    void omit(const char* key, std::string reason, std::string advice);
    /// Lists what nobody read. Call it last.
    void finish();

private:
    std::string textOf(const char* key) const;
    std::string adviceFor(const std::string& unknownKey) const;

    const nlohmann::json& m_settings;
    std::string m_path;
    Explanations m_known;
    ImportedSpec& m_imported;
    FieldReader m_fields;
};

template <typename T>
std::optional<T> SettingsReader::get(const char* key)
{
    if (has(key) && m_settings.at(key).is_null()) {
        m_fields.take(key);
        return std::nullopt;
    }
    const std::size_t before = m_imported.problems.size();
    T value{};
    m_fields.read(key, value);
    if (!has(key) || m_imported.problems.size() > before)
        return std::nullopt;
    return value;
}

template <typename Fields>
void SettingsReader::section(const char* key, Fields fields)
{
    const auto* settings = m_fields.take(key);
    if (!settings || settings->is_null())
        return;
    SettingsReader reader(*settings, m_fields.pathOf(key), m_known, m_imported);
    fields(reader);
    reader.finish();
}

} // namespace trainyard
