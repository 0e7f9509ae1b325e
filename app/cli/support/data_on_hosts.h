#pragma once

#include <string>
#include <vector>

namespace trainyard {

// Commands of trainyard-prepare for other machines, with its own arguments; each gives the exit status.
/// Several hosts share the reading of the corpus; the first one keeps the data set.
int prepareOnHosts(const std::vector<std::string>& hosts, const std::vector<std::string>& arguments);
int verifyOnHost(const std::string& host, const std::vector<std::string>& arguments);

} // namespace trainyard
