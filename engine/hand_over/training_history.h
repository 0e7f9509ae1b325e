#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/ids.h"
#include "engine/base/result.h"
#include "engine/records/record.h"

namespace trainyard {

/// What a model card tells of one step.
struct CurvePoint {
    std::int64_t step = 0;
    double loss = 0;
    double tokenLoss = 0;
    double sequenceLoss = 0;
    double learningRate = 0;
};

/// The steps of a run up to a checkpoint, of those that were done again the last time.
struct TrainingHistory {
    std::vector<CurvePoint> curve;             ///< few steps: the first, the last, evenly spaced between
    std::vector<EvaluationRecord> evaluations; ///< all of them, by step
    std::int64_t steps = 0;                    ///< recorded ones
    std::int64_t skipped = 0;                  ///< of them without an update, because of an overflow
    std::int64_t tokens = 0;                   ///< without padding
    double seconds = 0;                        ///< wall time of the steps
    std::uint32_t attempts = 0;
};

constexpr std::size_t kCurvePoints = 11;

/// Reads the stream "steps" of a journal. Errors of scanJournal().
Result<TrainingHistory> readTrainingHistory(const std::filesystem::path& journal, Step last);

} // namespace trainyard
