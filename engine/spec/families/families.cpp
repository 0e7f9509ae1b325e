#include <array>

#include "engine/base/check.h"
#include "engine/spec/families/family_table.h"
#include "engine/spec/names.h"

namespace trainyard {

std::span<const FamilyTable* const> familyTables()
{
    static const std::array tables{&bertTable(),    &gptTable(),     &llamaTable(),      &mistralTable(),
                                   &qwen2Table(),   &qwen3Table(),   &olmo2Table(),      &gptNeoxTable(),
                                   &gemma2Table(),  &robertaTable(), &modernBertTable(), &mixtralTable(),
                                   &qwen3MoeTable()};
    static_assert(tables.size() == kEnumNames<ModelFamily>.size());
    return tables;
}

const FamilyTable& familyTable(ModelFamily family)
{
    const auto index = static_cast<std::size_t>(family);
    TRAINYARD_CHECK(index < familyTables().size());
    return *familyTables()[index];
}

} // namespace trainyard
