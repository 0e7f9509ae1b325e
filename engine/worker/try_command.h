#pragma once

#include <filesystem>

#include "engine/base/result.h"
#include "engine/generation/options/try_options.h"

namespace trainyard {

/// `trainyard-worker try`: continues the prompts with a decoder, fills in their masks with an encoder, or
/// says what a model with the head of a task makes of them, and prints the result. `runDirectory`: of the job
/// that it is, whose journal gets the result, and beside which a run lies that is named by its id; empty: it
/// is none.
///
/// With --json one document, whose lists have an entry for each prompt (a text is one):
///     decoder   {"tokens": [[5, 7, 9]], "text": ["..."]}
///     encoder   {"masks": [[{"position": 2, "answers": [{"token": 5, "probability": 0.9, "text": "x"}]}]]}
///     classify  {"labels": [[{"label": "positive", "id": 1, "probability": 0.9}]]}
///     regress   {"values": [3.87]}
///     tag       {"words": [[{"text": "Paris", "begin": 4, "end": 9, "labels": [as of classify]}]]}; with
///               --token-ids "token" instead of text, begin and end
///     answer    {"answers": [[{"text": "Paris", "begin": 4, "end": 9, "score": 7.1, "probability": 0.8}]]};
///               that there is no answer has an empty text, and neither begin nor end
/// Answers and labels are the --answers most probable ones, most probable first; begin and end count
/// characters (code points) of the text, of an answer those of --pair.
Status runTry(const TryOptions& options, const std::filesystem::path& runDirectory = {});

} // namespace trainyard
