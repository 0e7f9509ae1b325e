#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "datasets/shards/manifest.h"
#include "engine/base/ids.h"
#include "engine/hand_over/training_history.h"
#include "engine/spec/phases/phases.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// The tokenizer that lies next to the model.
struct CardTokenizer {
    std::size_t entries = 0;
    bool cased = false;
    std::string profile; ///< of UnicodeTables; empty: unknown
};

/// What is known about an exported model. What is not known is not in its card.
struct CardFacts {
    std::string name;   ///< of the model's folder, for the lines that load it
    std::string family; ///< Hugging Face's class: "BertForPreTraining"
    RunSpec spec;       ///< of the run that wrote the checkpoint, or with nothing but the model
    Step step;
    std::uint64_t consumedSamples = 0;
    std::optional<CardTokenizer> tokenizer{};
    std::vector<std::string> labels{};        ///< of a task, by their numbers; empty: without names
    std::optional<Manifest> dataSet{};        ///< that the run was trained on, in phase() if it has phases
    std::optional<TrainingHistory> history{}; ///< up to `step`
    std::string hardware{};                   ///< hardwareText()
    bool adaptersAlone = false;               ///< the folder has low-rank adapters for PEFT, and no weights

    /// What the run was at the step.
    RunSpec phase() const { return specOfStep(spec, step.value); }
    /// False for a checkpoint that was made of imported weights.
    bool hasRun() const { return !phase().dataset.first().empty(); }
};

/// The model's README.md as the Hugging Face Hub reads it: metadata in YAML, then Markdown about use, data,
/// recipe, hardware, curve, held-out figures and limits; of a model for a task also what its outputs mean.
/// The licence is left to the user. Names no host and no path of the machines that trained.
std::string modelCard(const CardFacts& facts);

} // namespace trainyard
