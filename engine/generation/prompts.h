#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/base/result.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

using TokenId = std::int64_t;
using TokenIds = std::vector<TokenId>;

/// BadInput naming the first prompt, counted from 1, that is empty, has a token outside the vocabulary, or
/// for which the model lacks positions: for its own tokens, or with a decoder for `newTokens` more.
Status checkPrompts(const ModelSpec& model, const std::vector<TokenIds>& prompts,
                    std::optional<std::int64_t> newTokens = {});

/// New tokens for which the model has positions after a prompt: the last one is not read, so needs none.
std::int64_t roomAfter(const ModelSpec& model, const TokenIds& prompt);

} // namespace trainyard
