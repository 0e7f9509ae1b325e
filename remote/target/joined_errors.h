#pragma once

#include <vector>

#include "engine/base/result.h"

namespace trainyard {

/// One error for all of them, in their order, each reason and each hint once; nothing when there is none.
/// More than one of many hosts is counted first: "3 of 16 hosts: ...". Its kind is that of the first one that
/// is not Cancelled.
Status joinedErrors(const std::vector<Error>& errors, int hosts);

} // namespace trainyard
