#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/generation/options/sampling.h"

namespace trainyard {

/// Options of `try`.
struct TryOptions {
    std::string model; ///< a run, a checkpoint, or a folder as Hugging Face saves it
    std::string text;  ///< empty: that on standard input, unless there are token ids
    /// Of a model for a task: the second sentence, or the text with the answer to the question `text`.
    std::string pair;
    /// JSON, a list of tokens for each prompt, instead of a text; "-": that on standard input.
    std::string tokenIds;

    std::optional<std::int64_t> step; ///< of several checkpoints; nullopt: the newest
    bool best = false;                ///< the best one by held-out evaluation, instead
    std::string precision = "float32";
    std::string vocabulary; ///< vocab.txt or tokenizer.json; empty: the model's own
    bool cased = false;     ///< keep the case, even if `vocabulary` looks as if it had none

    bool greedy = false;
    Sampling sampling;
    std::optional<std::int64_t> newTokens; ///< nullopt: as many as usual, if the model has the positions
    bool stop = false;                     ///< at an end token
    int answers = 5;                       ///< for each mask or word; labels of a text; answers to a question
    bool noAnswer = false;                 ///< the text may lack the answer, as in SQuAD 2.0
    std::optional<std::int64_t> maskToken; ///< nullopt: the vocabulary's [MASK]

    bool ignoreUnused = false; ///< accept options without a meaning for the model

    bool json = false;
    bool stream = false; ///< with `json`: a line for each token as soon as it is chosen

    bool operator==(const TryOptions&) const = default;
};

} // namespace trainyard
