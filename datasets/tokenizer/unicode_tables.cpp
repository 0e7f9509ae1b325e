#include "datasets/tokenizer/unicode_tables.h"

namespace trainyard {

const UnicodeTables* unicodeTables(std::string_view name)
{
    if (name == "hf")
        return &huggingFaceTables();
    return name == "google-py" ? &googlePythonTables() : nullptr;
}

} // namespace trainyard
