#pragma once

#include <cstddef>
#include <span>

#include "engine/comm/float_span.h"
#include "engine/comm/transport.h"

namespace trainyard {

/// Whether results are to stay in the caches or to bypass them (streamCopy()).
enum class Store { Cached, Streamed };

/// Every result[i] = the sum or maximum of parts[0][i], parts[1][i], ... taken in this order, so that it
/// depends on nothing else. bfloat16 and float16 are added up in float32 and rounded once.
/// Parts and results hold `count` numbers of `type`; a result may be one of the parts, otherwise nothing
/// overlaps. Requires two parts at least.
void reduceParts(std::span<const void* const> parts, std::size_t count, FloatType type, ReduceOp op,
                 std::span<void* const> results, Store store = Store::Cached);

} // namespace trainyard
