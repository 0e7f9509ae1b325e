#include "app/runs/loss_parts.h"

#include <algorithm>

#include <QObject>

#include "app/runs/recorded_run.h"

namespace trainyard {

namespace {

constexpr LossPart kMaskedPart{StepColumn::MlmLoss, "loss/masked_lm", "Masked-LM loss"};
constexpr LossPart kSentencePart{StepColumn::NspLoss, "loss/next_sentence", "Next-sentence loss"};

} // namespace

QString lossTitle(const RunFacts& facts)
{
    switch (facts.spec ? facts.spec->model.task.kind : TaskKind::None) {
    case TaskKind::None:
        break;
    case TaskKind::Classify:
        return QObject::tr("Classification loss");
    case TaskKind::Regress:
        return QObject::tr("Regression loss");
    case TaskKind::Tag:
        return QObject::tr("Tagging loss");
    case TaskKind::Answer:
        return QObject::tr("Answer-span loss");
    case TaskKind::Complete:
        return QObject::tr("Completion loss");
    }
    return QObject::tr("Loss");
}

std::vector<LossPart> lossParts(const RunFacts& facts)
{
    if (!facts.spec)
        return {kMaskedPart, kSentencePart};
    const ModelSpec& model = facts.spec->model;
    if (model.task.isOn() || model.isDecoder())
        return {};
    return model.predictsNextSentence() ? std::vector{kMaskedPart, kSentencePart} : std::vector{kMaskedPart};
}

bool isLossPart(const RunFacts& facts, StepColumn column)
{
    const std::vector<LossPart> parts = lossParts(facts);
    return std::ranges::find(parts, column, &LossPart::column) != parts.end();
}

} // namespace trainyard
