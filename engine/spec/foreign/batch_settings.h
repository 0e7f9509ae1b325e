#pragma once

#include <optional>

#include "engine/spec/foreign/conversion.h"

namespace trainyard {

/// What another tool says of its batch; the others follow from global = micro * accumulation * data.
struct BatchSettings {
    std::optional<int> global;
    std::optional<int> micro;
    std::optional<int> accumulation;
};

/// As the other tools reckon: the data-parallel degree is what the ranks leave beside the other degrees of
/// `imported.spec.layout`, unless all three numbers are said; then it follows from them. What is not said at
/// all comes from the base, an accumulation beside other numbers is 1. A number that does not divide is a
/// problem.
void settleBatch(const BatchSettings& said, const ImportBase& base, ImportedSpec& imported);

} // namespace trainyard
