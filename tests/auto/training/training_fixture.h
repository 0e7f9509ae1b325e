#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "engine/base/result.h"
#include "engine/records/record.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// A data set of made-up sentence pairs: rows in two unequal shards.
struct DatasetShape {
    std::uint64_t rows = 300;
    int length = 32;
    int predictions = 5; ///< 0 = running text for GPT: input_ids alone, every row full
    int vocabulary = 97;
    bool full = false;          ///< every row as long as it can be, with all its predictions
    std::uint64_t testRows = 0; ///< held out, in two unequal shards
};

/// Writes it to `folder`. `flavour` changes the content, not the shape.
Status writeDataset(const std::filesystem::path& folder, const DatasetShape& shape,
                    std::uint64_t flavour = 0);
/// The smallest one: DatasetShape's defaults.
Status writeTinyDataset(const std::filesystem::path& folder, std::uint64_t flavour = 0);

/// BERT with 2 layers of 32, dropout 0.1 everywhere, global batch 8.
RunSpec tinySpec(const std::filesystem::path& dataset, int ranks, ComputeType compute);

/// Makes `folder` a run directory for the specification.
Status makeRunDirectory(const std::filesystem::path& folder, const RunSpec& spec);

/// The steps of the run's journal in order; of a step that was taken again after a resume only the last
/// record.
std::vector<StepRecord> stepsOf(const std::filesystem::path& runDirectory);
/// The evaluations likewise.
std::vector<EvaluationRecord> evaluationsOf(const std::filesystem::path& runDirectory);
/// With which step an attempt began; 0: with none.
std::int64_t firstStepOf(const std::filesystem::path& runDirectory, std::uint32_t attempt);
/// Events of the run's journal in order.
std::vector<EventRecord> eventsOf(const std::filesystem::path& runDirectory);

/// Largest relative difference of any figure but the time; infinite when steps, tokens or rows differ.
double largestDifference(const std::vector<EvaluationRecord>& a, const std::vector<EvaluationRecord>& b);
/// Largest relative difference of the losses; infinite when the series differ in length.
double largestDifference(const std::vector<StepRecord>& a, const std::vector<StepRecord>& b);
/// The same of the gradient norms.
double largestNormDifference(const std::vector<StepRecord>& a, const std::vector<StepRecord>& b);

} // namespace trainyard
