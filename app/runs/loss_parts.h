#pragma once

#include <vector>

#include <QString>

#include "app/runs/step_table.h"

namespace trainyard {

struct RunFacts;

/// A part of the loss that every step records next to the loss itself.
struct LossPart {
    StepColumn column;
    const char* name;  ///< of the series: "loss/masked_lm"
    const char* title; ///< "Masked-LM loss"
};

/// Returns "Loss", or of a fine-tuned run what its task minimizes: "Classification loss".
QString lossTitle(const RunFacts& facts);

/// Returns the parts of BERT's pre-training: the masked-LM and, with its head, the next-sentence loss. Empty
/// for tasks and decoders, whose loss is one; both for a run whose specification is unknown.
std::vector<LossPart> lossParts(const RunFacts& facts);
/// Whether that column is a part of the run's loss.
bool isLossPart(const RunFacts& facts, StepColumn column);

} // namespace trainyard
