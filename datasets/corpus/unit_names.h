#pragma once

#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "engine/base/result.h"

namespace trainyard {

/// What {{convert}} writes for its codes: resources/wiki/units.json. Immutable; any thread may read it.
class UnitNames {
public:
    /// BadInput for what parseNameList() refuses and for an unknown key.
    static Result<UnitNames> parse(std::string_view json);

    /// Returns the names of the list that is compiled in.
    static const UnitNames& builtIn();

    /// Returns "sq mi" for "sqmi"; empty if the symbol is the code itself.
    std::string_view symbol(std::string_view code) const;

    /// Returns the text between the two ends of a range: " to " for "to(-)"; empty if this is no such word.
    std::string_view rangeWord(std::string_view code) const;

    /// Whether two units form one measure, as in "5 ft 10 in".
    bool areCompound(std::string_view unit, std::string_view smaller) const;

private:
    using Texts = std::unordered_map<std::string, std::string>;

    Texts m_symbols;
    Texts m_rangeWords;
    std::set<std::pair<std::string, std::string>> m_compound;
};

} // namespace trainyard
