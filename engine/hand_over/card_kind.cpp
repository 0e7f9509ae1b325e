#include "engine/hand_over/card_kind.h"

#include "engine/hand_over/corpus_language.h"

namespace trainyard::card {

bool isDecoder(const CardFacts& facts)
{
    return facts.spec.model.isDecoder();
}

std::optional<std::string> languageOf(const CardFacts& facts)
{
    if (!facts.dataSet || facts.dataSet->settings.format != "mediawiki")
        return std::nullopt;
    return languageOfDumps(facts.dataSet->settings.dumps);
}

std::string_view pipelineTask(const CardFacts& facts)
{
    switch (facts.spec.model.task.kind) {
    case TaskKind::Classify:
    case TaskKind::Regress:
        return "text-classification";
    case TaskKind::Tag:
        return "token-classification";
    case TaskKind::Answer:
        return "question-answering";
    case TaskKind::None:
    case TaskKind::Complete:
        break;
    }
    return isDecoder(facts) ? "text-generation" : "fill-mask";
}

} // namespace trainyard::card
