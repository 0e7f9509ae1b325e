#pragma once

#include <string>

#include "tests/device/stand_in/nccl/transfer.h"

namespace trainyard::stand_in {

/// The ranks that this one waits for and that wait for it in turn, and what each is doing; empty if there are
/// none. Exact while all of them wait: conditions are looked up, and only those ranks could fulfil them.
std::string waitCycle(const Neighbourhood& all);

} // namespace trainyard::stand_in
