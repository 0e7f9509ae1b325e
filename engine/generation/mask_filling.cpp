#include "engine/generation/mask_filling.h"

#include <ATen/ops/zeros_like.h>
#include <c10/core/GradMode.h>
#include <fmt/format.h>

#include "engine/generation/token_tensors.h"
#include "engine/nn/language_model.h"

namespace trainyard {

namespace {

TokenIds masksIn(const TokenIds& prompt, TokenId mask)
{
    TokenIds places;
    for (std::size_t i = 0; i < prompt.size(); ++i) {
        if (prompt[i] == mask)
            places.push_back(static_cast<std::int64_t>(i));
    }
    return places;
}

TokenBatch batchOf(const TokenIds& prompt, const TokenIds& masks)
{
    TokenBatch batch;
    batch.inputIds = tensorOf(prompt).unsqueeze(0);
    batch.tokenTypeIds = at::zeros_like(batch.inputIds);
    batch.targetPositions = tensorOf(masks);
    batch.sampleIndices = {0};
    return batch;
}

Result<std::vector<MaskAnswers>> answersFor(const LanguageModel& model, const TokenIds& prompt,
                                            const TokenIds& masks, std::size_t count)
{
    TRAINYARD_TRY(const LogitRows logits,
                  LogitRows::of(model.logits(batchOf(prompt, masks), std::nullopt).tokens));
    std::vector<MaskAnswers> answers;
    for (std::size_t i = 0; i < masks.size(); ++i)
        answers.push_back({static_cast<std::size_t>(masks[i]), mostProbable(logits.row(i), count)});
    return answers;
}

} // namespace

Result<std::vector<std::vector<MaskAnswers>>>
fillMasks(const LanguageModel& model, const std::vector<TokenIds>& prompts, TokenId mask, std::size_t count)
{
    if (model.spec().isDecoder())
        return badInput("a decoder continues text, it does not fill in masks",
                        "choose an encoder (family bert)");
    if (!model.spec().predictsWords())
        return badInput("a model for a task predicts no words, so it does not fill in masks",
                        "choose a model with its language-model head");
    TRAINYARD_TRY_STATUS(checkPrompts(model.spec(), prompts));
    const c10::AutoGradMode noGraph(false);
    std::vector<std::vector<MaskAnswers>> all;
    for (std::size_t i = 0; i < prompts.size(); ++i) {
        const auto masks = masksIn(prompts[i], mask);
        if (masks.empty())
            return badInput(fmt::format("prompt {} has no mask (token {})", i + 1, mask),
                            "put [MASK], or its token, where a word is to be filled in");
        TRAINYARD_TRY(auto answers, answersFor(model, prompts[i], masks, count));
        all.push_back(std::move(answers));
    }
    return all;
}

} // namespace trainyard
