#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/spec/diagnostic.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// What a specification has to agree with in its data set.
struct DataSetShape {
    int vocabularySize = 0;
    int sequenceLength = 0; ///< tokens per row, padding included
    std::uint64_t trainingRows = 0;
    std::optional<double> paddingShare{}; ///< of the tokens of all rows; none: unknown
    std::string objective = "bert"; ///< what rows teach, as the manifest says it: or "mlm", "gpt", a task
    std::string nextSentence = "random";     ///< of objective "bert": or "swap", "none"
    std::optional<std::uint64_t> testRows{}; ///< held out; none: unknown
    int labels = 0;                          ///< of a task that has some
    // What data sets of a mix have to agree in besides; unknown where it is 0 or empty.
    int maxPredictions = 0;
    std::string vocabularySha256{};
};

/// Everything that keeps the model from reading these rows, or from being evaluated on them as asked.
Diagnostics dataSetProblems(const RunSpec& spec, const DataSetShape& data);

/// Everything that keeps the run from being evaluated on the test rows of `data`, the data set of
/// evaluation.dataset. `trainingLength`: tokens of the run's own rows.
Diagnostics evaluationDataProblems(const RunSpec& spec, const DataSetShape& data, int trainingLength);

/// What keeps a layout's ranks from sharing the tokens of sequences of this length, padding included. Nothing
/// for layouts and batches that validate() refuses.
Diagnostics sharingProblems(const RunSpec& spec, int sequenceLength);

/// What works and is hardly meant: a global batch that takes rows twice, padding that costs much, packing of
/// what has none, a next-sentence head that has one label to learn.
Diagnostics dataSetRemarks(const RunSpec& spec, const DataSetShape& data);

} // namespace trainyard
