#pragma once

#include <map>
#include <string>

#include "engine/spec/run_spec.h"

namespace trainyard {

class Vocabulary;
struct RowTokenizer;

/// The files of a tokenizer for Hugging Face's AutoTokenizer, content by name. Those of a tokenizer.json are
/// handed on as they are; special_tokens_map.json and tokenizer_config.json are made where it came without.
std::map<std::string, std::string> tokenizerFiles(const RowTokenizer& tokenizer, const ModelSpec& model);

/// The files from which Hugging Face's AutoTokenizer makes a tokenizer with the ids of WordPiece, content by
/// name: vocab.txt, tokenizer.json, tokenizer_config.json, special_tokens_map.json. As the model was fed: an
/// encoder's puts [CLS] in front and [SEP] behind, a decoder's nothing, and ends a document with [SEP]. Unlike
/// WordPiece, it takes "[MASK]" and the like in a text for the special token.
std::map<std::string, std::string> tokenizerFiles(const Vocabulary& vocabulary, bool cased,
                                                  const ModelSpec& model);

} // namespace trainyard
