#include "engine/worker/try_inputs.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "engine/base/json_limits.h"
#include "engine/base/json_problem.h"
#include "engine/generation/options/try_command_line.h"

namespace trainyard {

namespace {

constexpr JsonLimits kTokenIdLimits{.depth = 2, .values = 10'000'000};

bool isListOfTokenLists(const nlohmann::json& json)
{
    const auto isTokenList = [](const nlohmann::json& list) {
        return list.is_array() && std::ranges::all_of(list, &nlohmann::json::is_number_integer);
    };
    return json.is_array() && std::ranges::all_of(json, isTokenList);
}

Result<std::vector<TokenIds>> parseTokenIds(const std::string& text)
{
    constexpr auto kForm = "give a list of tokens for each prompt, as in '[[5, 7], [12]]'";
    TRAINYARD_TRY_STATUS(checkJsonLimits(text, kTokenIdLimits));
    try {
        const auto json = nlohmann::json::parse(text);
        if (!isListOfTokenLists(json) || json.empty())
            return badInput("it is not a list of lists of whole numbers", kForm);
        return json.get<std::vector<TokenIds>>();
    } catch (const nlohmann::json::exception& error) {
        return badInput(jsonProblem(error, text), kForm);
    }
}

} // namespace

Result<std::string> triedText(const TryOptions& options)
{
    return options.text.empty() ? readTriedText() : options.text;
}

Result<std::vector<TokenIds>> triedTokens(const TryOptions& options)
{
    std::string text = options.tokenIds;
    if (text == "-") {
        TRAINYARD_TRY(text, readTriedText());
    }
    auto prompts = parseTokenIds(text);
    if (!prompts.ok())
        return prompts.error().in("--token-ids");
    return prompts;
}

Result<TextCodec> codecOf(const TryOptions& options, const StoredModel& model)
{
    TRAINYARD_TRY(const TokenizerFiles files, tokenizerOf(model, options.vocabulary, options.cased));
    return TextCodec::load(files, model.spec());
}

} // namespace trainyard
