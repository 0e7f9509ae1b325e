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
    std::string objective = "bert";       ///< what rows teach, as the manifest says it: or "mlm", "gpt"
    std::string nextSentence = "random";  ///< of objective "bert": or "swap", "none"
};

/// Everything that keeps the model from reading these rows.
Diagnostics dataSetProblems(const RunSpec& spec, const DataSetShape& data);

/// What keeps a layout's ranks from sharing the tokens of sequences of this length, padding included. Nothing
/// for layouts and batches that validate() refuses.
Diagnostics sharingProblems(const RunSpec& spec, int sequenceLength);

/// What works and is hardly meant: a global batch that takes rows twice, padding that costs much, packing of
/// what has none, a next-sentence head that has one label to learn.
Diagnostics dataSetRemarks(const RunSpec& spec, const DataSetShape& data);

} // namespace trainyard
