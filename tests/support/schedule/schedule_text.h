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
std::string toText(const PipelineSchedule& schedule);

/// The schedule that toText() wrote; BadInput names the line and the word that cannot be read. Says nothing
/// about whether the schedule works: that is checkSchedule()'s.
Result<PipelineSchedule> parseSchedule(std::string_view text);

} // namespace trainyard
