#pragma once

#include <cstdint>
#include <string>

namespace trainyard {

struct ValidationInput {
    std::string rows;                  ///< file of measured steps
    std::string hardware = "hgx-a100"; ///< preset, or a file like one
    std::size_t calibrate = 0;         ///< rows that calibrate
    std::uint64_t seed = 1;
    bool json = false;
};

/// `plan --validate`: how far the planner is from measured steps. Gives the exit status.
int validatePlan(const ValidationInput& input);

} // namespace trainyard
