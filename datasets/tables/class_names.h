#pragma once

#include <map>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>
#include <nlohmann/json.hpp>

namespace trainyard {

/// Names of the classes that stand as numbers in the columns of Hugging Face's data sets (ClassLabel), as the
/// metadata of their files says them.
class ClassNames {
public:
    static ClassNames of(const arrow::Schema& schema);

    /// Numbers of classes, alone or in lists, replaced by names; other values, and -1 for no class, as they
    /// are.
    nlohmann::ordered_json named(const std::string& column, nlohmann::ordered_json value) const;

private:
    std::map<std::string, std::vector<std::string>> m_names; ///< by column
};

} // namespace trainyard
