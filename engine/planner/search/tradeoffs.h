#pragma once

#include <string>
#include <vector>

#include "engine/planner/search/found_layout.h"

namespace trainyard {

/// What a layout is better and worse at than another one, as texts: "12 % slower", "8.30 GiB less
/// on the device".
struct Tradeoffs {
    std::vector<std::string> gains;
    std::vector<std::string> losses;

    bool operator==(const Tradeoffs&) const = default;
};

/// Time, cost, memory of device and host, and the bubble. What differs by less than 1 % (of the bubble: of
/// the step) is not worth a word.
Tradeoffs tradeoffs(const FoundLayout& layout, const FoundLayout& other);

/// Whether `layout` is worse than `other` in something, of time, cost and device memory, and better in none.
bool isDominated(const FoundLayout& layout, const FoundLayout& other);

/// Those that no other one dominates, in their order.
std::vector<FoundLayout> paretoSet(const std::vector<FoundLayout>& layouts);

} // namespace trainyard
