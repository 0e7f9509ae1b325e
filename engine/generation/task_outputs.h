#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "engine/base/result.h"
#include "engine/generation/prompts.h"

namespace trainyard {

class LanguageModel;

// What models with the head of a task say about a row of tokens. All give BadInput for a model of another
// task and for rows that checkPrompts() refuses, Failed when the model computes values that are not finite,
// and throw c10::Error when ATen does.

/// Tokens as an encoder reads them, "[CLS] A [SEP]" or "[CLS] A [SEP] B [SEP]".
struct EncodedRow {
    TokenIds tokens;
    std::size_t secondFrom = 0; ///< index of the first token of "B [SEP]"; tokens.size(): there is none
};

struct LabelProbability {
    std::size_t label = 0;
    double probability = 0;
};

/// The logit of each token as the first and as the last one of the answer, [CLS] and question included.
struct AnswerLogits {
    std::vector<double> starts;
    std::vector<double> ends;
};

/// Of TaskKind::Classify: the `count` most probable labels, most probable first.
Result<std::vector<LabelProbability>> classifyRow(const LanguageModel& model, const EncodedRow& row,
                                                  std::size_t count);
/// Of TaskKind::Regress.
Result<double> valueOfRow(const LanguageModel& model, const EncodedRow& row);
/// Of TaskKind::Tag: the same as classifyRow() of each of these tokens. Requires that they are in the row.
Result<std::vector<std::vector<LabelProbability>>> tagTokens(const LanguageModel& model,
                                                             const EncodedRow& row,
                                                             std::span<const std::size_t> tokens,
                                                             std::size_t count);
/// Of TaskKind::Answer.
Result<AnswerLogits> answerLogits(const LanguageModel& model, const EncodedRow& row);

} // namespace trainyard
