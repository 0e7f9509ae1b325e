#include "datasets/corpus/unit_names.h"

#include "datasets/corpus/name_lists.h"

namespace trainyard {

Result<UnitNames> UnitNames::parse(std::string_view json)
{
    TRAINYARD_TRY(const auto names, parseNameList(json));
    UnitNames units;
    for (const ListedName& listed : names) {
        if (listed.isAt("symbols", 2))
            units.m_symbols.emplace(listed.keys[1], listed.name);
        else if (listed.isAt("range_words", 2))
            units.m_rangeWords.emplace(listed.keys[1], listed.name);
        else if (listed.isAt("compound", 2))
            units.m_compound.emplace(listed.keys[1], listed.name);
        else
            return listed.problem("unknown key");
    }
    return units;
}

const UnitNames& UnitNames::builtIn()
{
    static const UnitNames units = parse(embeddedNameList("units")).value();
    return units;
}

std::string_view UnitNames::symbol(std::string_view code) const
{
    const auto found = m_symbols.find(std::string(code));
    return found == m_symbols.end() ? std::string_view() : found->second;
}

std::string_view UnitNames::rangeWord(std::string_view code) const
{
    const auto found = m_rangeWords.find(std::string(code));
    return found == m_rangeWords.end() ? std::string_view() : found->second;
}

bool UnitNames::areCompound(std::string_view unit, std::string_view smaller) const
{
    return m_compound.contains({std::string(unit), std::string(smaller)});
}

} // namespace trainyard
