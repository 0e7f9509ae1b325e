#pragma once

#include "datasets/tokenizer_json/json_field.h"
#include "datasets/tokenizer_json/normalizer.h"

namespace trainyard {

/// Reads the "normalizer" of a tokenizer.json. BadInput names a type or a setting that is not supported.
Result<Normalizer> readNormalizer(const JsonField& field);

/// Reads the "pattern" of a step: {"String": ...} or {"Regex": ...}.
Result<Pattern> readPattern(const JsonField& field);

} // namespace trainyard
