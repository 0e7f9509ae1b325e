#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "engine/generation/sampler.h"

namespace trainyard {

class LanguageModel;

struct GenerationOptions {
    Sampling sampling;
    /// New tokens for each prompt. Nullopt: as many as the model has positions for, at most
    /// kUsualNewTokens.
    std::optional<std::int64_t> newTokens;
    TokenIds endTokens; ///< a sequence ends with the first one of these; empty: it never ends early
};

constexpr std::int64_t kUsualNewTokens = 64;

/// Called with every new token as soon as it is chosen, those of a prompt in order. False ends everything.
using OnNewToken = std::function<bool(std::size_t prompt, TokenId token)>;

/// Continues each prompt with a decoder and returns prompts and continuations. What a prompt gets does not
/// depend on the other ones. Reads the prompts once and then one token of each at a time, with a
/// KeyValueCache.
///
/// BadInput of checkPrompts() and for an encoder, Failed when the model computes values that are not finite.
/// Throws c10::Error when ATen does.
Result<std::vector<TokenIds>> continuePrompts(const LanguageModel& model,
                                              const std::vector<TokenIds>& prompts,
                                              const GenerationOptions& options,
                                              const OnNewToken& onToken = {});

} // namespace trainyard
