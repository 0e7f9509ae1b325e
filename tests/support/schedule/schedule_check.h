#pragma once

#include "engine/base/result.h"
#include "engine/planner/pipeline/pipeline_schedule.h"

namespace trainyard {

/// Proves that a schedule, wherever it comes from, is one that can be executed:
///  - every rank has every action that its chunks and micro-batches need, once, and none besides: forward,
///    backward (whole, or of the input and of the weights), transfers to and from other ranks, one reduction
///    per chunk, one step;
///  - none stands before what it needs on its own rank;
///  - between two ranks, what is sent is received in the same order;
///  - no rank waits for ever, neither with eager nor with rendezvous sends: it is run, see simulate().
/// BadInput names the rank and the action of the first thing that is wrong.
Status checkSchedule(const PipelineSchedule& schedule);

} // namespace trainyard
