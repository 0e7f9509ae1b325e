#include "datasets/verification/row_rules.h"

#include <fmt/format.h>

namespace trainyard {

namespace {

template <typename Choice>
Result<Choice> choiceOf(const std::string& name, const char* what)
{
    if (const auto choice = enumFromName<Choice>(name))
        return *choice;
    return badInput(fmt::format("unknown {} \"{}\" in the manifest", what, name),
                    "use the program that prepared the data set");
}

} // namespace

Result<RowRules> RowRules::of(const Manifest& manifest)
{
    const PreparationSettings& settings = manifest.settings;
    RowRules rules;
    rules.task = manifest.taskKind();
    if (rules.task != TaskKind::None) {
        rules.objective = Objective::Tokens;
        rules.nextSentence = NextSentence::Follow;
        return rules;
    }
    TRAINYARD_TRY(rules.objective, choiceOf<Objective>(settings.objective, "objective"));
    TRAINYARD_TRY(rules.nextSentence, choiceOf<NextSentence>(settings.nextSentence, "next_sentence"));
    rules.maskedShare = settings.maskedShare;
    rules.wholeWords = settings.wholeWords;
    rules.provenance = settings.provenance;
    const auto repeated = manifest.counters.find("repeated_page_ids");
    rules.uniqueIds = repeated == manifest.counters.end() || repeated->second == 0;
    return rules;
}

} // namespace trainyard
