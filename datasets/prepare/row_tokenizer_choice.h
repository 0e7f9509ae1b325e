#pragma once

#include <filesystem>

#include "datasets/job/cancel_flag.h"
#include "datasets/job/progress.h"
#include "datasets/options/prepare_options.h"
#include "datasets/shards/manifest.h"
#include "datasets/tokenizer_json/row_tokenizer.h"

namespace trainyard {

/// What the manifest says of a tokenizer.json; of a vocab.txt it needs to say no more than its hash.
TokenizerDescription descriptionOf(const RowTokenizer& tokenizer);

/// Loads the tokenizer of --vocab or --tokenizer. `options` are checked.
Result<RowTokenizer> loadTokenizerFor(const PrepareOptions& options);

/// The same, or trains one on the corpus, which `scratch` keeps for a later process. BadInput names a special
/// token that the objective needs and the tokenizer lacks.
Result<RowTokenizer> loadOrTrainTokenizer(const PrepareOptions& options, const std::filesystem::path& scratch,
                                          Progress& progress, const CancelFlag& cancel);

} // namespace trainyard
