#pragma once

#include <optional>
#include <string_view>

#include "engine/spec/run_spec.h"

namespace trainyard {

/// The spelling of enumerators in files, options and on screen: "lamb", "bfloat16", "polynomial", ...
std::string_view nameOf(ModelFamily value);
std::string_view nameOf(Activation value);
std::string_view nameOf(NormPlacement value);
std::string_view nameOf(PositionEncoding value);
std::string_view nameOf(OptimizerKind value);
std::string_view nameOf(ScheduleKind value);
std::string_view nameOf(ComputeType value);
std::string_view nameOf(PipelineScheduleKind value);
std::string_view nameOf(RecomputeKind value);
std::string_view nameOf(DeviceKind value);
std::string_view nameOf(LauncherKind value);
std::string_view nameOf(PartitionKind value); ///< not of ByHand, which is written as its list

/// The enumerator of that name, or nothing. `Enum` is one of the types above.
template <typename Enum>
std::optional<Enum> enumFromName(std::string_view name);
/// "adamw, lamb": for messages and completion.
template <typename Enum>
std::string_view acceptedNames();

} // namespace trainyard
