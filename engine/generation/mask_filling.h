#pragma once

#include <vector>

#include "engine/generation/sampler.h"

namespace trainyard {

class LanguageModel;

/// A masked place of a text and the words that an encoder would put there.
struct MaskAnswers {
    std::size_t position = 0; ///< of the mask among the prompt's tokens, from 0
    std::vector<TokenProbability> best;
};

/// For every prompt its masks in order, each with the `count` most probable tokens. BadInput of
/// checkPrompts(), for a decoder, and for a prompt without `mask`; Failed when the model computes values that
/// are not finite. Throws c10::Error when ATen does.
Result<std::vector<std::vector<MaskAnswers>>>
fillMasks(const LanguageModel& model, const std::vector<TokenIds>& prompts, TokenId mask, std::size_t count);

} // namespace trainyard
