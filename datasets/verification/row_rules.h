#pragma once

#include "datasets/pretraining/instance.h"
#include "datasets/shards/manifest.h"

namespace trainyard {

/// The rules that the rows of a data set were made by.
struct RowRules {
    Objective objective = Objective::Bert;
    TaskKind task = TaskKind::None; ///< instead of the objective, which is then that without masks
    NextSentence nextSentence = NextSentence::Random;
    double maskedShare = 0.15;
    bool wholeWords = false;
    bool provenance = false;
    bool uniqueIds = true; ///< no two documents have the same page id

    bool masks() const { return objective != Objective::Tokens; }
    /// Some rows have label 1.
    bool labels() const { return objective == Objective::Bert && nextSentence != NextSentence::Follow; }
    /// Label 1 means another document.
    bool randomPairs() const { return objective == Objective::Bert && nextSentence == NextSentence::Random; }

    /// BadInput if the manifest has an unknown choice.
    static Result<RowRules> of(const Manifest& manifest);
};

} // namespace trainyard
