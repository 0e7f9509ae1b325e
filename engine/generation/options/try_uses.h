#pragma once

#include "engine/base/result.h"
#include "engine/generation/options/try_options.h"
#include "engine/spec/names.h"

namespace trainyard {

/// What a model does with a text, which decides the options of `try` that have a meaning for it.
enum class TrialUse { Continue, FillIn, Classify, Regress, Tag, Answer };

/// `continuesText`: the model is a decoder. `task`: of its head; None without one.
TrialUse trialUseOf(bool continuesText, TaskKind task);

/// BadInput names the first option that differs from its usual value and has no meaning for the model, unless
/// options.ignoreUnused is set.
Status checkTryUses(const TryOptions& options, TrialUse use);

} // namespace trainyard
