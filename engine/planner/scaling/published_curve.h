#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/planner/layout/shape.h"
#include "engine/planner/scaling/scaled_layout.h"
#include "engine/spec/diagnostic.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// What others measured on so many devices.
struct PublishedPoint {
    int devices = 0;
    double sequencesPerSecond = 0; ///< of all devices together
    double efficiency = 0;         ///< of one device's throughput, against the first point
};

/// One training that was published on several numbers of devices. A plain value.
struct PublishedCurve {
    std::string name;     ///< of its file
    std::string title;    ///< for people
    std::string source;   ///< where it was published
    std::string assumed;  ///< what of `run` is our choice, because it was not published; empty = nothing
    std::string hardware; ///< name of the node preset that is nearest to where it ran
    RunSpec run;          ///< on the first point's devices; scaledLayout() gives the others
    SequenceShape shape;
    Scaling scaling = Scaling::Strong;
    std::vector<PublishedPoint> points; ///< ascending devices, at least one
};

struct ParsedCurve {
    PublishedCurve curve;
    Diagnostics diagnostics; ///< every unknown key, wrong type and impossible value
};

/// Reads a file as resources/presets/published has them. A point gives "sequences_per_second", or
/// "device_rate": operations per second of one device, recomputation included, which become sequences by
/// stepOperations(). Strict, as parseSpec() is.
ParsedCurve parsePublished(std::string_view json);

/// All of resources/presets/published, in the order of their names. Any thread may ask.
const std::vector<PublishedCurve>& publishedCurves();

/// Those of a model of this family with these layers, width and heads.
std::vector<PublishedCurve> publishedCurvesOf(const ModelSpec& model);

} // namespace trainyard
