#pragma once

#include <string>

#include "engine/hand_over/model_card.h"

// The sections of a model card, each with its heading, in the order of the card. Those from data() to
// results() are of a model that was trained here.
namespace trainyard::card {

std::string metadata(const CardFacts& facts); ///< YAML for the Hub
std::string introduction(const CardFacts& facts);
std::string taskText(const CardFacts& facts); ///< what the outputs mean; empty without a task
std::string use(const CardFacts& facts);      ///< how to load the folder
std::string data(const CardFacts& facts);
std::string recipe(const CardFacts& facts); ///< with the phases
std::string layout(const CardFacts& facts); ///< and hardware
std::string curve(const CardFacts& facts);
std::string results(const CardFacts& facts); ///< on held-out rows
std::string limitations(const CardFacts& facts);

/// Names without the folders of machines.
std::string dataSetName(const RunSpec& spec);

} // namespace trainyard::card
