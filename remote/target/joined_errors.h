#pragma once

#include <vector>

#include "engine/base/result.h"

namespace trainyard {

/// Joins errors into one, in their order, each reason and each hint once; ok when there is none. Several
/// failures of many hosts start with their number: "3 of 16 hosts: ...". Takes the kind of the first error
/// that is not Cancelled.
Status joinedErrors(const std::vector<Error>& errors, int hosts);

} // namespace trainyard
