#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/hand_over/model_card.h"

namespace trainyard::card {

bool isDecoder(const CardFacts& facts);
/// Of a model that was trained on dumps of Wikipedia: "en". nullopt: not known.
std::optional<std::string> languageOf(const CardFacts& facts);
/// As the Hub and pipeline() call it: "fill-mask".
std::string_view pipelineTask(const CardFacts& facts);

} // namespace trainyard::card
