#pragma once

#include <cstdint>
#include <string>

#include "engine/base/result.h"

namespace trainyard {

struct ValidationInput {
    std::string rows;                  ///< file of measured steps
    std::string hardware = "hgx-a100"; ///< preset, or a file like one
    std::size_t calibrate = 0;         ///< rows that calibrate
    std::uint64_t seed = 1;
    bool json = false;
};

/// `plan --validate`: compares the planner with measured steps.
Status validatePlan(const ValidationInput& input);

} // namespace trainyard
