#pragma once

#include <functional>
#include <string>

#include "datasets/input/corpus_piece.h"
#include "datasets/job/cancel_flag.h"
#include "datasets/job/progress.h"
#include "datasets/prepare/document_store.h"
#include "datasets/prepare/prepare_options.h"
#include "datasets/tokenizer/vocabulary.h"

namespace trainyard {

/// Reads the dumps once and makes a vocab.txt of their words.
Result<std::string> trainVocabularyOnDumps(const PrepareOptions& options, Progress& progress,
                                           const CancelFlag& cancel);

/// Reads the corpus, cleans and cuts every document and appends it to `store` in the order of the files;
/// documents without a sentence are counted and left out. Returns what the files were, as
/// in "mediawiki" or "mediawiki+jsonl". Warns when the vocabulary does not seem to be made for the text: of
/// another case, or more than 5 % of the tokens are [UNK].
///
/// Begins at `from`, and now and then calls save(place), with the place that the documents in the store reach
/// up to.
using SaveCorpus = std::function<Status(const CorpusPosition& reached)>;
Result<std::string> tokenizeDumps(const PrepareOptions& options, const Vocabulary& vocabulary,
                                  const CorpusPosition& from, const SaveCorpus& save, Progress& progress,
                                  const CancelFlag& cancel, DocumentStore& store);

} // namespace trainyard
