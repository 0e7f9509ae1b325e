#include "datasets/verification/row_rules.h"

#include <fmt/format.h>

#include "datasets/pretraining/instance_names.h"

namespace trainyard {

namespace {

template <typename Names>
auto choiceIn(const Names& names, const std::string& name, const char* what)
    -> Result<typename Names::value_type::second_type>
{
    for (const auto& [known, each] : names) {
        if (known == name)
            return each;
    }
    return badInput(fmt::format("unknown {} \"{}\" in the manifest", what, name),
                    "use the program that prepared the data set");
}

} // namespace

Result<RowRules> RowRules::of(const Manifest& manifest)
{
    const PreparationSettings& settings = manifest.settings;
    RowRules rules;
    TRAINYARD_TRY(rules.objective, choiceIn(kObjectiveNames, settings.objective, "objective"));
    TRAINYARD_TRY(rules.nextSentence, choiceIn(kNextSentenceNames, settings.nextSentence, "next_sentence"));
    rules.maskedShare = settings.maskedShare;
    rules.wholeWords = settings.wholeWords;
    rules.provenance = settings.provenance;
    const auto repeated = manifest.counters.find("repeated_page_ids");
    rules.uniqueIds = repeated == manifest.counters.end() || repeated->second == 0;
    return rules;
}

} // namespace trainyard
