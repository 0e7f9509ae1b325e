#pragma once

#include <optional>

#include <QString>

#include "app/base/this_machine.h"
#include "app/runs/run_database.h"
#include "engine/generation/options/try_options.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// A trained model to try, and where it is.
struct TrialModel {
    QString host = thisMachine();
    QString path;                        ///< a folder of the host, or the id of a run there
    QString name;                        ///< for people, with the checkpoint
    std::optional<qint64> step;          ///< of a run; nullopt: its newest complete checkpoint
    bool best = false;                   ///< its best checkpoint by held-out evaluation, instead
    QString vocabulary;                  ///< vocab.txt on the host; empty: the model's own
    std::optional<ModelFamily> family{}; ///< nullopt: not known before it is tried
    std::optional<TaskKind> task{};      ///< nullopt: not known before it is tried
    bool keepsBest = false;              ///< the run marks its best checkpoint

    bool isBert() const { return family && !isDecoder(*family); }
    bool isGpt() const { return family && isDecoder(*family); }
    bool answers() const { return task == TaskKind::Answer; }

    // What may be tried with it; a model of an unknown kind says itself what it cannot do.

    bool mayContinue() const { return !isBert(); }
    bool mayFillIn() const { return !isGpt() && !hasTaskHead(); }
    bool mayJudge() const { return task ? hasTaskHead() : !isGpt(); } ///< classify, value, tag or answer
    bool mayTakePair() const { return mayJudge() && task != TaskKind::Tag; }
    bool mayAnswer() const { return mayJudge() && (!task || answers()); }

private:
    bool hasTaskHead() const { return task && TaskSpec{.kind = *task}.hasHead(); }
};

/// What a model is tried on.
struct TrialText {
    QString text{};
    QString pair{}; ///< second sentence, or the text with the answer; only for models of tasks

    bool operator==(const TrialText&) const = default;
};

/// Runs whose checkpoints are on a host that is known here: those that training has begun and that were not
/// imported.
bool canBeTried(const RunEntry& run);
/// The run's newest checkpoint.
TrialModel modelOf(const RunEntry& run);

/// Why this text cannot be tried with the model; empty = it can.
QString whyNotTried(const TrialModel& model, const TrialText& text);

/// `settings` for this model and text, as the command `try` takes them.
TryOptions optionsFor(const TrialModel& model, const TrialText& text, TryOptions settings);

} // namespace trainyard
