#include "engine/planner/partition/distinct_placements.h"

#include <array>
#include <set>

namespace trainyard {

namespace {

// Tensor-parallel ranks talk most, so they are neighbours in the first ones.
constexpr std::array kOrders{"PDT", "DPT", "DTP", "PTD", "TPD", "TDP"};

/// The letters whose degrees are more than 1, in their order.
std::string tellingLetters(const std::string& order, const ParallelLayout& layout)
{
    std::string letters;
    for (const char letter : order) {
        const int degree = letter == 'D' ? layout.holders() : letter == 'P' ? layout.pipeline : layout.tensor;
        if (degree > 1)
            letters += letter;
    }
    return letters;
}

} // namespace

std::vector<std::string> distinctPlacements(const ParallelLayout& layout)
{
    std::vector<std::string> distinct;
    std::set<std::string> seen;
    for (const std::string order : kOrders) {
        if (seen.insert(tellingLetters(order, layout)).second)
            distinct.push_back(order);
    }
    return distinct;
}

} // namespace trainyard
