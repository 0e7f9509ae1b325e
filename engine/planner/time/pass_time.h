#pragma once

#include <vector>

#include "engine/planner/hardware/time_coefficients.h"
#include "engine/planner/time/layer_work.h"
#include "engine/planner/time/step_causes.h"

namespace trainyard {

/// How long each part of a pass takes by itself, in seconds, before any calibration.
struct PassDemand {
    std::vector<ProductTime> products;
    double traffic = 0;
    double kernels = 0;  ///< on the device, besides their work
    double launches = 0; ///< on the host
    double tensor = 0;   ///< collectives, which computing waits for
    double experts = 0;  ///< all-to-alls, which it waits for too
    bool onHost = false; ///< the host computes too: it launches nothing ahead
};

/// What goes on beside computing, in seconds, before any calibration.
struct BesideDemand {
    double ring = 0;          ///< context parallelism
    double gathers = 0;       ///< ZeRO: weights, and gradients after every micro-batch
    bool gathersWait = false; ///< they go on while nothing computes
    double copies = 0;        ///< offload
    bool onHost = false;      ///< the cores that compute move all of it, one after the other
};

/// Devices of a kind differ: Sinha et al. (arXiv:2208.11035) measured a variation of 8 % within clusters,
/// which is taken for four standard deviations.
constexpr double kDeviceSpread = 0.02;

/// How much slower than the average the slowest of `devices` is expected to be: the largest of so many
/// normal deviates (Blom, 1958), times kDeviceSpread; 1 for a single one.
double slowestOf(int devices);

/// A pass by cause. The device works while the host launches ahead: the longer one bounds the pass, and near
/// each other both are felt, (d^6 + h^6)^(1/6); a host that computes does one after the other. What the
/// slowest device takes longer than the average one is waited for; where a calibration makes even that one
/// faster, `slowest` < 1, all of them compute so fast.
TimeByCause passTime(const PassDemand& demand, const TimeCoefficients& coefficients, double slowest);

/// Of what lasts `beside` seconds while a rank computes for `computing` seconds: what is left over, and the
/// share by which it slows computing while it lasts (Galvatron's overlap coefficient, 1.126).
double exposedTime(double beside, double computing);
/// What is felt of it while a rank computes for `computing` seconds; 0: all of it.
TimeByCause besideTime(double computing, const BesideDemand& demand, const TimeCoefficients& coefficients);

} // namespace trainyard
