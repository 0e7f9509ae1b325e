#include "datasets/tokenizer/unicode_tables.h"

namespace trainyard {

const UnicodeTables* unicodeTables(std::string_view name)
{
    if (name == "hf")
        return &huggingFaceTables();
    return name == "google-py" ? &googlePythonTables() : nullptr;
}

const UnicodeTables& tablesOfProfile(std::string_view profile)
{
    return profile == googlePythonTables().profile ? googlePythonTables() : huggingFaceTables();
}

} // namespace trainyard
