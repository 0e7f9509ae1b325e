#pragma once

#include <string>
#include <vector>

namespace trainyard {

class ProcessGroup;

/// What every backend promises, checked by every rank of a group; the broken promises.
std::vector<std::string> checkCollectives(ProcessGroup& group);

} // namespace trainyard
