#pragma once

#include <string>

#include "engine/planner/search/found_layout.h"

namespace trainyard {

/// A found layout as a whole specification that plan and launch take: what was asked for, with the cluster's
/// first nodes, as many as the layout fills, each with a slot per device of the request's node and named
/// `hardware` (NodeSpec::hardware). Where the cluster has too few, "node-2", "node-3" and so on stand for
/// hosts that are yet to be named; a Slurm job has its login host's name everywhere.
RunSpec foundSpec(const SearchRequest& request, const FoundLayout& layout, const std::string& hardware);

} // namespace trainyard
