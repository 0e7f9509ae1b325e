#pragma once

#include <string>

#include "engine/base/result.h"
#include "engine/planner/calibration/probe.h"
#include "engine/planner/hardware/hardware.h"

namespace trainyard {

/// The node that the probes describe. Rates are what was reached: the peak of a type is the best product,
/// bandwidths are those of the vectors and messages of the probes and elementwise work reaches its share of
/// them, link tables have the probed sizes with the
/// smallest one's time as the latency. Its calibration's error band joins, as independent errors do, the
/// model's own error, what the probes are off the node that is made of them, and how much they varied in the
/// median.
///
/// What was not probed is taken so that it bounds nothing, or too little rather than too much: links within a
/// host of one rank are as fast as its memory, a network that nobody probed has 1 Gbit/s (kUnknownNetwork).
///
/// `date`: for the calibration. BadInput naming what is missing among the probes.
Result<NodeModel> probedNode(const ProbeReport& report, const std::string& date);

constexpr double kUnknownNetwork = 1.25e8; ///< bytes per second

} // namespace trainyard
