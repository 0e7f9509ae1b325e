#include "engine/generation/prompts.h"

#include <algorithm>

#include <fmt/format.h>

namespace trainyard {

namespace {

std::string tokenCount(const TokenIds& prompt)
{
    return prompt.size() == 1 ? "1 token" : fmt::format("{} tokens", prompt.size());
}

Status checkPrompt(const ModelSpec& model, const TokenIds& prompt, std::int64_t newTokens)
{
    if (prompt.empty())
        return badInput("has no tokens", "give at least one token for the model to begin with");
    if (std::ssize(prompt) > model.maxPositions)
        return badInput(
            fmt::format("has {}, but the model has {} positions", tokenCount(prompt), model.maxPositions),
            "shorten it");
    const auto unknown =
        std::ranges::find_if(prompt, [&](TokenId token) { return token < 0 || token >= model.vocabulary; });
    if (unknown != prompt.end())
        return badInput(
            fmt::format("has the token {}, but the vocabulary ends at {}", *unknown, model.vocabulary - 1),
            "use the ids of the model's own tokenizer");
    if (const std::int64_t room = roomAfter(model, prompt); newTokens > room)
        return badInput(fmt::format("has {}; the model's {} positions leave room for {} new ones, not for {}",
                                    tokenCount(prompt), model.maxPositions, room, newTokens),
                        fmt::format("ask for {} new tokens at most, or shorten the prompt", room));
    return {};
}

} // namespace

Status checkPrompts(const ModelSpec& model, const std::vector<TokenIds>& prompts,
                    std::optional<std::int64_t> newTokens)
{
    for (std::size_t i = 0; i < prompts.size(); ++i) {
        if (const Status status = checkPrompt(model, prompts[i], newTokens.value_or(0)); !status.ok())
            return Error{status.error().kind, fmt::format("prompt {} {}", i + 1, status.error().message),
                         status.error().hint};
    }
    return {};
}

std::int64_t roomAfter(const ModelSpec& model, const TokenIds& prompt)
{
    return model.maxPositions - std::ssize(prompt) + 1;
}

} // namespace trainyard
