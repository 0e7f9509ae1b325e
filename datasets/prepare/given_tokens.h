#pragma once

#include "datasets/input/corpus_piece.h"
#include "datasets/options/prepare_options.h"
#include "datasets/prepare/document_store.h"
#include "datasets/tokenizer_json/row_tokenizer.h"

namespace trainyard {

// Documents that are token ids already, from the .bin and .idx of Megatron-LM.

/// BadInput if files or parts hold tokens and the options need text: rows with masks, the training of a
/// vocabulary.
Status checkGivenTokens(const PrepareOptions& options);

/// Returns the document of those ids as one sentence, without the end of a document behind it; none if
/// nothing remains. BadInput if an id is not one of the tokenizer.
Result<TokenizedDocument> givenDocument(const CorpusDocument& document, const RowTokenizer& tokenizer);

} // namespace trainyard
