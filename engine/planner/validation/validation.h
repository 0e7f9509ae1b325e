#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/planner/calibration/measured_rows.h"
#include "engine/planner/hardware/hardware.h"
#include "engine/planner/hardware/time_coefficients.h"
#include "engine/planner/time/program_traits.h"

namespace trainyard {

/// The error of predictions against measurements.
struct ValidationScore {
    double meanError = 0; ///< mean of |predicted / measured - 1|
    /// What is lost by taking the layout that is predicted to be the best: its measured time over the best
    /// measured one, less 1; mean over groups of rows with the same model, devices and global batch. Groups
    /// of one row offer no choice and do not count.
    double meanRegret = 0;
    std::size_t rows = 0;
    std::size_t groups = 0;
};

struct ValidationReport {
    ValidationScore uncalibrated;              ///< over the rows that did not calibrate: without it, all
    std::optional<ValidationScore> calibrated; ///< over the same rows
    TimeCoefficients coefficients;             ///< of the calibration
};

struct ValidationOptions {
    std::size_t calibrate = 0; ///< rows that calibrate, drawn by the seed; 0 = none
    std::uint64_t seed = 1;
    ProgramTraits program = megatronProgram();
};

/// BadInput when no row would be left to score, or a row's layout is invalid.
Result<ValidationReport> validateRows(const std::vector<MeasuredRow>& rows, const NodeModel& node,
                                      const ValidationOptions& options);

} // namespace trainyard
