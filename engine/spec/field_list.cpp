#include "engine/spec/field_list.h"

#include <algorithm>
#include <functional>

#include "engine/spec/field_json.h"

namespace trainyard {

namespace {

std::vector<std::string_view> choicesIn(std::string_view list)
{
    std::vector<std::string_view> choices;
    while (!list.empty()) {
        const std::size_t end = std::min(list.find(", "), list.size());
        choices.push_back(list.substr(0, end));
        list.remove_prefix(std::min(end + 2, list.size()));
    }
    return choices;
}

template <typename Value>
FieldKind kindOf(const FieldInfo& info)
{
    if constexpr (Described<Value>)
        return FieldKind::Section;
    else if constexpr (std::is_enum_v<Value>)
        return FieldKind::Choice;
    else if constexpr (std::is_same_v<Value, bool>)
        return FieldKind::Flag;
    else if constexpr (std::is_same_v<Value, int>)
        return FieldKind::Integer;
    else if constexpr (std::is_same_v<Value, Bytes>)
        return info.isSize() ? FieldKind::Size : FieldKind::Integer;
    else if constexpr (std::is_same_v<Value, double>)
        return FieldKind::Number;
    else if constexpr (std::is_same_v<Value, std::chrono::milliseconds>)
        return FieldKind::Duration;
    else if constexpr (std::is_same_v<Value, StagePartition>)
        return FieldKind::Partition;
    else if constexpr (DescribedList<Value>)
        return FieldKind::List;
    else if constexpr (std::is_same_v<Value, std::vector<std::string>>)
        return FieldKind::Texts;
    else {
        static_assert(std::is_same_v<Value, std::string>);
        return info.choices[0] ? FieldKind::Choice : FieldKind::Text;
    }
}

template <typename Value>
std::vector<std::string_view> choicesOf(const FieldInfo& info)
{
    if constexpr (std::is_same_v<Value, StagePartition>)
        return choicesOf<PartitionKind>(info);
    else if constexpr (std::is_enum_v<Value>)
        return {kEnumNames<Value>.begin(), kEnumNames<Value>.end()};
    else
        return choicesIn(info.choices);
}

bool hasValue(FieldKind kind)
{
    return kind != FieldKind::Section && kind != FieldKind::Override && kind != FieldKind::List;
}

template <typename Struct>
struct FieldLister {
    std::vector<ListedField>& fields;
    std::string path; ///< of the object, with its dot

    /// The fields of its sections are listed where the run has them.
    static constexpr bool kOverrides = std::is_same_v<Struct, PhaseSpec>;

    template <typename Access>
    void operator()(const char* key, const Access& access, const FieldInfo& info)
    {
        using Member = Accessed<Struct, Access>;
        ListedField field{path + key, kindOf<Member>(info), info, choicesOf<Member>(info)};
        if constexpr (kOverrides && Described<Member>)
            field.kind = FieldKind::Override;
        const Struct byDefault{};
        if (hasValue(field.kind) && !info.optional)
            field.defaultJson = valueJson(std::invoke(access, byDefault), info).dump();
        fields.push_back(std::move(field));
        if constexpr (!kOverrides && Described<Member>)
            list<Member>(path + key + ".");
        else if constexpr (DescribedList<Member>)
            list<typename Member::value_type>(path + key + "[].");
    }

    template <typename Inner>
    void list(const std::string& innerPath)
    {
        FieldLister<Inner> inner{fields, innerPath};
        describe(inner, Of<Inner>());
    }
};

} // namespace

std::string_view ListedField::key() const
{
    return std::string_view(path).substr(path.rfind('.') + 1);
}

std::string_view ListedField::section() const
{
    const std::size_t end = path.rfind('.');
    return end == std::string::npos ? std::string_view() : std::string_view(path).substr(0, end);
}

const std::vector<ListedField>& fieldList()
{
    static const std::vector<ListedField> all = [] {
        std::vector<ListedField> fields;
        FieldLister<RunSpec>{fields, {}}.list<RunSpec>({});
        return fields;
    }();
    return all;
}

} // namespace trainyard
