#pragma once

#include <utility>
#include <vector>

#include "tests/faults/soak/history.h"

namespace trainyard::soak {

/// The entries of one kind, with their moments.
template <typename Kind>
std::vector<std::pair<Moment, const Kind*>> all(const History& history)
{
    std::vector<std::pair<Moment, const Kind*>> found;
    for (const Entry& entry : history) {
        if (const auto* one = std::get_if<Kind>(&entry.what))
            found.emplace_back(entry.atMs, one);
    }
    return found;
}

} // namespace trainyard::soak
