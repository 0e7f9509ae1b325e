#pragma once

#include <cstddef>
#include <vector>

#include "engine/planner/search/found_layout.h"

namespace trainyard {

/// What the objective judges by; the smaller, the better.
double scoreOf(const FoundLayout& layout, SearchObjective objective);

/// The best first; equal ones stay in their order.
void rank(std::vector<FoundLayout>& layouts, SearchObjective objective);

/// Of ranked layouts the best ones of `count` different sets of degrees.
std::vector<FoundLayout> bestOfDegrees(const std::vector<FoundLayout>& ranked, std::size_t count);

/// Of ranked layouts those that no other one dominates (tradeoffs.h) and that are not far behind the best
/// one: a quarter more of what the objective judges by. At most `count`, the best one always, the others
/// spread evenly between it and the last.
std::vector<FoundLayout> bestCompromises(const std::vector<FoundLayout>& ranked, SearchObjective objective,
                                         std::size_t count);

} // namespace trainyard
