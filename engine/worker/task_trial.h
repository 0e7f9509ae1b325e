#pragma once

#include "engine/base/result.h"
#include "engine/checkpoint/hugging_face/stored_model.h"
#include "engine/generation/options/try_options.h"
#include "engine/worker/answer_output.h"

namespace trainyard {

/// `try` of a model with the head of a task: prints what it says about a text, a pair, or a question. See
/// runTry() for the form.
Status tryTask(const TryOptions& options, StoredModel model, AnswerOutput& output);

} // namespace trainyard
