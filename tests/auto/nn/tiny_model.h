#pragma once

#include <QMetaType>

#include "engine/nn/token_batch.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// A model small enough for finite differences, with widths that are not powers of two.
ModelSpec tinyModel(ModelFamily family);

/// Three sequences of 7 tokens for it, the second and third padded from token 5 and 3 on, with a few targets
/// among the tokens. Numbers without pattern, the same in every run.
TokenBatch tinyBatch(const ModelSpec& model);

} // namespace trainyard

Q_DECLARE_METATYPE(trainyard::ModelSpec)
