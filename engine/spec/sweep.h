#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/spec/field_changes.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// The values that a sweep gives to a field: a list, or all numbers between two.
struct Variation {
    std::string path; ///< "optimizer.learning_rate", "cluster.nodes[0].slots"
    std::vector<std::string>
        values{}; ///< as spec.json has them, strings without quotation marks; empty = a range
    double low = 0;
    double high = 0;

    bool isRange() const { return values.empty(); }
};

/// "optimizer.learning_rate=1e-3,3e-4" or "optimizer.learning_rate=1e-4..1e-2". BadInput names the form.
Result<Variation> parseVariation(std::string_view text);

/// A run of a sweep: its specification, and what the sweep has set in it.
struct SweepPoint {
    RunSpec spec;
    std::vector<FieldChange> changes;
};

constexpr int kMaxSweepRuns = 1000;

/// Every combination of the values, the last variation varying fastest. BadInput for a field that there is
/// not or that is varied twice, a value that the field does not take, a range, and more than kMaxSweepRuns;
/// Refused where a combination cannot work: the message names it.
Result<std::vector<SweepPoint>> gridSweep(const RunSpec& spec, const std::vector<Variation>& variations);

/// `runs` points drawn independently: of a list each value is as likely as another; of a range numbers are
/// drawn evenly, over its logarithm where both ends are positive and the higher is at least ten times the
/// lower (Bergstra and Bengio, JMLR 13, 2012). The same for the same seed, on every machine. Errors as
/// gridSweep().
Result<std::vector<SweepPoint>> randomSweep(const RunSpec& spec, const std::vector<Variation>& variations,
                                            int runs, std::uint64_t seed);

} // namespace trainyard
