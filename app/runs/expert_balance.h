#pragma once

#include <vector>

#include "engine/records/record.h"

namespace trainyard {

/// How evenly a layer's router shares out tokens, in multiples of an even share of them.
struct LayerBalance {
    int layer = 0;
    int busiest = 0;  ///< expert
    double most = 0;  ///< that it gets
    double least = 0; ///< what the least busy one gets
    int idle = 0;     ///< experts that get less than kIdleShare
};

/// Of an even share.
constexpr double kIdleShare = 0.1;

/// What each expert of a layer gets, in multiples of an even share; 0 where nobody gets anything.
std::vector<double> sharesOf(const ExpertLoad& load, std::size_t layer);
/// Of each layer with experts.
std::vector<LayerBalance> balanceOf(const ExpertLoad& load);

} // namespace trainyard
