#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "engine/base/result.h"
#include "engine/checkpoint/hugging_face/stored_model.h"
#include "engine/records/record.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

struct DataSetEvaluationOptions {
    std::filesystem::path dataSet;
    int batches = 0; ///< global batches of test rows, the first ones; 0: all test rows
    ComputeType precision = ComputeType::Float32;
    /// Whose layout, memory settings and batch are used, with ranks as threads of this process; a batch that
    /// its ranks cannot share is adapted. nullopt: one rank, with the batches of the checkpoint's run.
    std::optional<RunSpec> layout{};
    /// Called after each global batch, in a thread of the evaluation.
    std::function<void(std::uint64_t rows, std::uint64_t allRows)> onProgress{};
};

/// Exact means over the test rows of a data set, the same as an evaluation of the run gives after the
/// checkpoint's step. The record has neither time nor judgement. BadInput or Refused naming field or file;
/// Failed when the loss is not finite.
Result<EvaluationRecord> evaluateOnDataSet(const StoredModel& model, const DataSetEvaluationOptions& options);

/// {"loss":..,"tokens":..,"rows":..,"metrics":{...}}, one line.
std::string evaluationJson(const EvaluationRecord& record, ModelFamily family);
/// A line for each figure.
std::string evaluationTable(const EvaluationRecord& record, ModelFamily family);

} // namespace trainyard
