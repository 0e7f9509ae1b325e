#include "engine/spec/model_rules.h"

#include <algorithm>
#include <functional>

#include <fmt/ranges.h>

#include "engine/spec/lora_targets.h"
#include "engine/spec/names.h"

namespace trainyard {

namespace {

/// The divisors of `hidden` that lie nearest below and above `near` and that `works` accepts, for hints.
std::string nearestHeads(int near, int hidden, const std::function<bool(int)>& works)
{
    int below = 0;
    int above = 0;
    const auto consider = [&](int heads) {
        if (!works(heads))
            return;
        if (heads <= near)
            below = std::max(below, heads);
        else
            above = above == 0 ? heads : std::min(above, heads);
    };
    for (int heads = 1; heads <= hidden / heads; ++heads) {
        if (hidden % heads == 0) {
            consider(heads);
            consider(hidden / heads);
        }
    }
    if (below == 0 && above == 0)
        return {};
    if (below == 0 || above == 0)
        return fmt::format("{}", below + above);
    return fmt::format("{} or {}", below, above);
}

void checkHeads(const ModelSpec& model, Checker& check)
{
    if (model.heads < 1 || model.hidden < 1)
        return; // reported already
    const bool rotary = model.positions == PositionEncoding::Rotary;
    const auto works = [&](int heads) {
        return model.hidden % heads == 0 && (!rotary || model.hidden / heads % 2 == 0);
    };
    const std::string nearest = nearestHeads(model.heads, model.hidden, works);
    const std::string hint =
        nearest.empty() ? "make model.hidden an even number" : fmt::format("use {} heads", nearest);
    const bool divides = model.hidden % model.heads == 0;
    check.require(divides, "model.heads",
                  fmt::format("hidden {} is not a multiple of {} heads", model.hidden, model.heads), hint,
                  fmt::format("hidden {} % heads {} = {}, must be 0", model.hidden, model.heads,
                              model.hidden % model.heads));
    check.require(
        !divides || works(model.heads), "model.heads",
        fmt::format("{} heads of width {} cannot have rotary positions, which turn pairs of numbers",
                    model.heads, model.hidden / model.heads),
        hint + ", or learned positions",
        fmt::format("hidden {} / heads {} = {}, must be even", model.hidden, model.heads,
                    model.hidden / model.heads));
}

void checkFamily(const ModelSpec& model, Checker& check)
{
    if (model.family == ModelFamily::Bert) {
        check.require(model.tokenTypes < 0 || model.tokenTypes >= 2, "model.token_types",
                      fmt::format("is {}", model.tokenTypes), "must be at least 2",
                      fmt::format("{} < 2", model.tokenTypes));
        return;
    }
    check.require(model.tokenTypes == 0, "model.token_types",
                  fmt::format("is {}, but a decoder has no token types", model.tokenTypes), "set it to 0");
    check.require(!model.nextSentence, "model.next_sentence",
                  "is true, but a decoder has no next-sentence head", "set it to false");
}

void checkTask(const ModelSpec& model, Checker& check)
{
    const TaskSpec& task = model.task;
    if (!task.isOn())
        return;
    const ModelFamily needed = task.hasHead() ? ModelFamily::Bert : ModelFamily::Gpt;
    check.require(model.family == needed, "task.kind",
                  fmt::format("is {}, which {} models learn, and model.family is {}", nameOf(task.kind),
                              nameOf(needed), nameOf(model.family)),
                  task.hasHead()
                      ? "set model.family to bert, or task.kind to complete"
                      : "set model.family to gpt, or task.kind to classify, regress, tag or answer");
}

std::string namesOf(const std::vector<AdaptableProduct>& products)
{
    std::vector<std::string_view> names;
    for (const AdaptableProduct& product : products)
        names.push_back(product.name);
    return fmt::format("{}", fmt::join(names, ", "));
}

bool isTargetOfAny(const std::string& target, const std::vector<AdaptableProduct>& products)
{
    return std::ranges::any_of(
        products, [&](const AdaptableProduct& product) { return isTarget(target, product.name); });
}

void checkLora(const ModelSpec& model, Checker& check)
{
    const LoraSpec& lora = model.lora;
    check.require(lora.isOn() || lora == LoraSpec(), "lora.rank",
                  fmt::format("is {}, so that lora.alpha, dropout and targets have no effect", lora.rank),
                  "set it to at least 1, or leave section lora out");
    if (!lora.isOn())
        return;
    const std::vector<AdaptableProduct> products = adaptableProducts(model);
    for (const std::string& target : lora.targets)
        check.require(
            isTargetOfAny(target, products), "lora.targets",
            fmt::format("\"{}\" names no product of a layer of this {} model", target, nameOf(model.family)),
            fmt::format("use the ends of these names: {}", namesOf(products)));
}

} // namespace

void checkModel(const ModelSpec& model, Checker& check)
{
    checkHeads(model, check);
    checkFamily(model, check);
    checkTask(model, check);
    checkLora(model, check);
}

} // namespace trainyard
