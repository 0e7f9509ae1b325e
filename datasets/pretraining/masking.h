#pragma once

#include "datasets/pretraining/counter_random.h"
#include "datasets/pretraining/instance.h"
#include "datasets/tokenizer/vocabulary.h"

namespace trainyard {

/// min(maxPredictions, max(1, length * share rounded half to even)), as Python's round() in the reference.
int predictionsFor(std::size_t length, const InstanceSettings& settings);

/// Chooses positions among all but [CLS] and [SEP] and replaces 80 % of them by [MASK], leaves 10 % and
/// replaces 10 % by a random entry of the vocabulary (any entry, as in the reference). Expects whole,
/// unmasked tokens.
void maskTokens(Instance& instance, const InstanceSettings& settings, const SpecialTokens& special,
                std::size_t vocabularySize, CounterRandom random);

} // namespace trainyard
