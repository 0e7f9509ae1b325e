#include "engine/generation/options/try_uses.h"

#include <algorithm>
#include <initializer_list>
#include <vector>

#include <fmt/format.h>

namespace trainyard {

namespace {

struct GivenOption {
    const char* name;
    bool isGiven;
};

/// Options that some models have a use for.
struct OptionsForUses {
    const char* whose; ///< "models that ..."
    std::vector<TrialUse> uses;
    std::vector<GivenOption> options;
};

std::vector<OptionsForUses> optionsByUse(const TryOptions& options)
{
    const Sampling usual;
    const Sampling& sampling = options.sampling;
    return {{"continue a text",
             {TrialUse::Continue},
             {{"--greedy", options.greedy},
              {"--temperature", sampling.temperature != usual.temperature},
              {"--top-k", sampling.topK != usual.topK},
              {"--top-p", sampling.topP != usual.topP},
              {"--seed", sampling.seed != usual.seed},
              {"--max-new", options.newTokens.has_value()},
              {"--stop", options.stop},
              {"--stream", options.stream}}},
            {"fill in [MASK]", {TrialUse::FillIn}, {{"--mask-token", options.maskToken.has_value()}}},
            {"answer questions", {TrialUse::Answer}, {{"--no-answer", options.noAnswer}}},
            {"fill in [MASK], classify, tag or answer",
             {TrialUse::FillIn, TrialUse::Classify, TrialUse::Tag, TrialUse::Answer},
             {{"--answers", options.answers != TryOptions().answers}}}};
}

const char* deedOf(TrialUse use)
{
    switch (use) {
    case TrialUse::Continue:
        return "continues a text";
    case TrialUse::FillIn:
        return "fills in [MASK]";
    case TrialUse::Classify:
        return "classifies";
    case TrialUse::Regress:
        return "predicts a number";
    case TrialUse::Tag:
        return "tags words";
    case TrialUse::Answer:
        break;
    }
    return "answers questions";
}

/// Options that choose among tokens by their probability.
Status checkDrawn(const Sampling& sampling)
{
    const Sampling usual;
    if (sampling.temperature > 0)
        return {};
    for (const auto& [name, isGiven] : {GivenOption{"--top-k", sampling.topK != usual.topK},
                                        GivenOption{"--top-p", sampling.topP != usual.topP},
                                        GivenOption{"--seed", sampling.seed != usual.seed}}) {
        if (isGiven)
            return badInput(
                fmt::format("{} has no effect with --temperature 0, which always chooses the most "
                            "probable token",
                            name),
                "leave it out, or raise the temperature");
    }
    return {};
}

} // namespace

TrialUse trialUseOf(bool continuesText, TaskKind task)
{
    switch (task) {
    case TaskKind::Classify:
        return TrialUse::Classify;
    case TaskKind::Regress:
        return TrialUse::Regress;
    case TaskKind::Tag:
        return TrialUse::Tag;
    case TaskKind::Answer:
        return TrialUse::Answer;
    default:
        return continuesText ? TrialUse::Continue : TrialUse::FillIn;
    }
}

Status checkTryUses(const TryOptions& options, TrialUse use)
{
    if (options.ignoreUnused)
        return {};
    for (const OptionsForUses& each : optionsByUse(options)) {
        if (std::ranges::count(each.uses, use) > 0)
            continue;
        for (const auto& [name, isGiven] : each.options) {
            if (isGiven)
                return badInput(
                    fmt::format("{} is for models that {}, and this one {}", name, each.whose, deedOf(use)),
                    "leave it out");
        }
    }
    return checkDrawn(options.sampling);
}

} // namespace trainyard
