#pragma once

#include <functional>
#include <string>

#include "datasets/input/corpus_piece.h"
#include "datasets/job/cancel_flag.h"
#include "datasets/job/progress.h"
#include "datasets/options/prepare_options.h"
#include "datasets/prepare/document_store.h"
#include "datasets/tokenizer_json/row_tokenizer.h"

namespace trainyard {

/// Reads the dumps once and trains a vocab.txt on their words.
Result<std::string> trainVocabularyOnDumps(const PrepareOptions& options, Progress& progress,
                                           const CancelFlag& cancel);

/// The same for the tokenizer.json of a byte-level BPE. Its special tokens are those of RoBERTa, or for
/// running text that of GPT-2.
Result<std::string> trainTokenizerOnDumps(const PrepareOptions& options, Progress& progress,
                                          const CancelFlag& cancel);

/// Reads the corpus, cleans and splits every document and appends it to `store` in file order; documents
/// without a sentence are skipped and counted. Returns the formats of the files, such as "mediawiki" or
/// "mediawiki+jsonl". Warns if the vocabulary does not seem to match the text: other case, or more than 5 %
/// of the tokens are [UNK].
///
/// Starts at `from` and calls save(position) from time to time, with the position up to which documents are
/// in the store.
using SaveCorpus = std::function<Status(const CorpusPosition& reached)>;
Result<std::string> tokenizeDumps(const PrepareOptions& options, const RowTokenizer& tokenizer,
                                  const CorpusPosition& from, const SaveCorpus& save, Progress& progress,
                                  const CancelFlag& cancel, DocumentStore& store);

} // namespace trainyard
