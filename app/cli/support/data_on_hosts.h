#pragma once

#include <string>
#include <vector>

#include "engine/base/result.h"

namespace trainyard {

// Commands of trainyard-prepare for other machines, with its own arguments.
/// Several hosts share the reading of the corpus; the first one keeps the data set. Returns the exit status.
Result<int> prepareOnHosts(const std::vector<std::string>& hosts, const std::vector<std::string>& arguments);
Status verifyOnHost(const std::string& host, const std::vector<std::string>& arguments);

} // namespace trainyard
