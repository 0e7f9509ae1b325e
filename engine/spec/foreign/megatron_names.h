#pragma once

#include <optional>
#include <string_view>

#include "engine/spec/names.h"

namespace trainyard {

/// Megatron-LM's spelling of a schedule (--lr-decay-style).
constexpr std::string_view megatronName(ScheduleKind schedule)
{
    return schedule == ScheduleKind::WarmupStableDecay ? "WSD" : nameOf(schedule);
}

/// Of the decay of a "WSD" schedule (--lr-wsd-decay-style).
constexpr std::string_view megatronName(DecayShape shape)
{
    return shape == DecayShape::OneMinusSqrt ? "minus_sqrt" : nameOf(shape);
}

template <NamedEnum Enum>
constexpr std::optional<Enum> fromMegatronName(std::string_view name)
{
    for (std::size_t index = 0; index < kEnumNames<Enum>.size(); ++index) {
        if (megatronName(static_cast<Enum>(index)) == name)
            return static_cast<Enum>(index);
    }
    return std::nullopt;
}

} // namespace trainyard
