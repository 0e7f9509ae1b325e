#pragma once

#include <string>
#include <vector>

namespace trainyard {

class GroupMaker;
class ProcessGroup;

/// What every backend promises, checked by every rank of a group; the broken promises.
std::vector<std::string> checkCollectives(ProcessGroup& group);

/// Groups and links of every layout over all ranks, checked by every rank; what was not as it should be.
std::vector<std::string> checkProcessGroups(GroupMaker& maker);

/// Blocks and receipts that another thread sends around all ranks while these make collectives.
std::vector<std::string> checkMessageLinks(GroupMaker& maker);

} // namespace trainyard
