#pragma once

#include "engine/planner/pipeline/pipeline_schedule.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// The passes of one pipeline rank in the order of a schedule, without transfers, reductions and step. Passes
/// of a chunk come in the order of the micro-batches, so that gradients add up alike under every schedule.
/// Requires scheduleProblem() to find nothing.
///
/// GPipe        F0 .. Fm-1 B0 .. Bm-1. Every micro-batch's activations are held at once.
/// 1F1B         p - r - 1 forward passes, then forward and backward in turn (Narayanan et al.,
///              arXiv:2104.04473, section 2.2.1). Rank r holds at most min(p - r, m) micro-batches.
/// interleaved  the same over m * v passes of v chunks (section 2.2.2 there): micro-batches go through
///              chunk 0 in a group, then through chunk 1, and so on. A group has at least p micro-batches,
///              else the first rank would wait for the last one. With m no multiple of p there are m / p
///              (rounded down) groups as equal as possible, larger ones first.
/// zero-bubble  ZB-H1 (Qi et al., arXiv:2401.10241, section 2): 1F1B with the backward pass split; rank r
///              keeps r weight gradients back until no input gradient can be late, which holds p
///              micro-batches on every rank.
ActionList computeOrder(PipelineScheduleKind kind, const PipelineShape& shape, int rank);

} // namespace trainyard
