#pragma once

#include "engine/planner/hardware/hardware.h"
#include "engine/planner/layout/shape.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// Multiplications and additions of one optimizer step over all ranks.
struct StepOperations {
    double model = 0;    ///< what the mathematics needs: forward, and for each factor of a product backward
    double hardware = 0; ///< and what recomputation does again
};

/// Korthikanti et al. (arXiv:2205.05198), equations 7 and 8; with all layers recomputed Narayanan et al.
/// (arXiv:2104.04473), equation 3. BERT's head counts on the masked positions alone.
StepOperations stepOperations(const RunSpec& spec, const SequenceShape& shape);

/// What a step time means. Two utilisations that must not be mixed up: of the model's operations (MFU) and of
/// those that the hardware does (HFU), which recomputation raises.
struct StepStats {
    double sequencesPerSecond = 0;
    double tokensPerSecond = 0;
    double modelRate = 0;           ///< operations per second and device
    double hardwareRate = 0;        ///< the same, with recomputation
    double modelUtilization = 0;    ///< share of the devices' dense peak
    double hardwareUtilization = 0; ///< the same, with recomputation

    double tokensPerDay() const { return tokensPerSecond * 86400; }
};

/// `peak`: dense operations per second of a device in the compute type, of unequal ones on average
/// (ClusterModel::meanPeak()). `seconds`: of one step.
StepStats stepStats(const RunSpec& spec, const SequenceShape& shape, double peak, double seconds);

/// A whole training.
struct TrainingEffort {
    double days = 0;
    double cost = 0; ///< in the currency of the nodes' prices; 0 = unknown
};
TrainingEffort trainingEffort(double tokens, const StepStats& stats, const ClusterModel& cluster);

/// Seconds of all steps of `spec`, whose steps of the full batch take `full`. While the batch grows, a step
/// takes what lies between `first`, that of the smallest batch, and `full`: a micro-batch more costs the same
/// each time.
double trainingSeconds(const RunSpec& spec, double first, double full);

} // namespace trainyard
