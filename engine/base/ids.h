#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace trainyard {

/// An index or a count that cannot be mixed up with another one.
template <typename Tag, typename Value>
struct Strong {
    Value value{};

    constexpr Strong() = default;
    constexpr explicit Strong(Value v) : value(v) {}
    constexpr auto operator<=>(const Strong&) const = default;
};

using Rank = Strong<struct RankTag, int>;           ///< Global rank, 0-based.
using WorldSize = Strong<struct WorldSizeTag, int>; ///< Number of ranks.
using Step = Strong<struct StepTag, std::int64_t>;  ///< Optimizer step, 1-based; 0 = before the first.

} // namespace trainyard

template <typename Tag, typename Value>
struct std::hash<trainyard::Strong<Tag, Value>> {
    std::size_t operator()(const trainyard::Strong<Tag, Value>& id) const
    {
        return std::hash<Value>()(id.value);
    }
};
