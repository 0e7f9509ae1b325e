#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include <nlohmann/json.hpp>

#include "engine/spec/names.h"
#include "engine/spec/run_fields.h"

namespace trainyard {

/// Keeps its keys in the order in which they were written.
using OrderedJson = nlohmann::ordered_json;

/// The exact size in the largest unit that divides it: "25 MiB", "1537 B".
std::string sizeText(Bytes bytes);
/// "15 s", "1500 ms".
std::string durationText(std::chrono::milliseconds duration);
/// "cost", or [3, 4, 4, 3].
OrderedJson partitionJson(const StagePartition& partition);

/// A struct as an object with all its fields, in the order of its description.
template <Described Struct>
OrderedJson objectJson(const Struct& object);

/// With the overridden fields alone.
OrderedJson objectJson(const PhaseSpec& phase);
/// With the mix alone where there is one.
OrderedJson objectJson(const DatasetSpec& dataset);

/// A field as the file has it.
template <typename Value>
OrderedJson valueJson(const Value& value, const FieldInfo& info)
{
    if constexpr (Described<Value>)
        return objectJson(value);
    else if constexpr (std::is_enum_v<Value>)
        return nameOf(value);
    else if constexpr (std::is_same_v<Value, Bytes>)
        return info.isSize() ? OrderedJson(sizeText(value)) : OrderedJson(value);
    else if constexpr (std::is_same_v<Value, std::chrono::milliseconds>)
        return durationText(value);
    else if constexpr (std::is_same_v<Value, StagePartition>)
        return partitionJson(value);
    else if constexpr (DescribedList<Value>) {
        auto list = OrderedJson::array();
        for (const auto& element : value)
            list.push_back(objectJson(element));
        return list;
    } else
        return value;
}

enum class WrittenFields {
    Needed, ///< without those that FieldInfo lets out at their default
    All,
};

/// What a reader has before it reads the other keys of the object: what its preset and its family decide.
template <typename Struct>
Struct readersDefault(const Struct&)
{
    return Struct();
}
ModelSpec readersDefault(const ModelSpec& model);

template <typename Struct>
class ObjectWriter {
public:
    explicit ObjectWriter(const Struct& object, WrittenFields fields = WrittenFields::Needed)
        : ObjectWriter(object, readersDefault(object), fields)
    {
    }
    /// `readersDefault`: what a reader has before it reads the object.
    ObjectWriter(const Struct& object, Struct readersDefault, WrittenFields fields = WrittenFields::Needed)
        : m_object(object), m_readersDefault(std::move(readersDefault)), m_fields(fields)
    {
    }

    template <typename Access>
    void operator()(const char* key, const Access& access, const FieldInfo& info)
    {
        const auto& value = std::invoke(access, m_object);
        const Struct byDefault{};
        if (m_fields == WrittenFields::All || info.isAlwaysWritten() ||
            value != std::invoke(access, byDefault) || value != std::invoke(access, m_readersDefault))
            m_json[key] = jsonOf(value, std::invoke(access, m_readersDefault), info);
    }
    OrderedJson take() { return std::move(m_json); }

private:
    /// A section of a section has the default that the outer one gives it.
    template <typename Value>
    static OrderedJson jsonOf(const Value& value, const Value& byDefault, const FieldInfo& info)
    {
        if constexpr (std::is_same_v<Struct, ModelSpec> && Described<Value>)
            return objectJson(value, byDefault);
        else
            return valueJson(value, info);
    }

    const Struct& m_object;
    const Struct m_readersDefault;
    const WrittenFields m_fields;
    OrderedJson m_json = OrderedJson::object();
};

template <Described Struct>
OrderedJson objectJson(const Struct& object, const Struct& byDefault)
{
    ObjectWriter writer(object, byDefault);
    describe(writer, Of<Struct>());
    return writer.take();
}

template <Described Struct>
OrderedJson objectJson(const Struct& object)
{
    ObjectWriter writer(object);
    describe(writer, Of<Struct>());
    return writer.take();
}

} // namespace trainyard
