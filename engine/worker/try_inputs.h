#pragma once

#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/checkpoint/hugging_face/stored_model.h"
#include "engine/generation/options/try_options.h"
#include "engine/generation/prompts.h"
#include "engine/worker/text_codec.h"

namespace trainyard {

// What `try` is given. Errors are BadInput.

/// The text of the command line, or of standard input.
Result<std::string> triedText(const TryOptions& options);

/// The lists of --token-ids, which are JSON there or on standard input.
Result<std::vector<TokenIds>> triedTokens(const TryOptions& options);

/// The tokenizer that --vocab names, or the model's own.
Result<TextCodec> codecOf(const TryOptions& options, const StoredModel& model);

} // namespace trainyard
