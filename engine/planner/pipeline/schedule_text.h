#pragma once

#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/planner/pipeline/pipeline_schedule.h"

namespace trainyard {

/// A schedule as a person reads it: the shape, then one line per pipeline rank.
///
///     ranks 2, chunks 1, micro-batches 2
///     0: F0 F0> F1 F1> >B0 B0 >B1 B1 reduce step
///     1: >F0 F0 >F1 B0 B0> F1 B1 B1> reduce step
///
/// F forward, B backward, I backward of the input, W backward of the weights, each with its micro-batch; with
/// several chunks, ".chunk" follows: F0.1. An arrow behind sends the result on, an arrow in front receives
/// what the action needs: F0> SendActivation, >F0 ReceiveActivation, B0> SendGradient, >B0 ReceiveGradient.
std::string toText(const PipelineSchedule& schedule);
std::string toText(const PipelineAction& action, const PipelineShape& shape);

/// The schedule that toText() wrote; BadInput names the line and the word that cannot be read. Says nothing
/// about whether the schedule works: that is checkSchedule()'s.
Result<PipelineSchedule> parseSchedule(std::string_view text);

} // namespace trainyard
