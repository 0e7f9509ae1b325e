#include "engine/spec/model_rules.h"

#include <algorithm>
#include <functional>

#include <fmt/ranges.h>

#include "engine/spec/families/family_table.h"
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

bool hasWholeHeads(const ModelSpec& model, int heads)
{
    return model.headWidth > 0 || model.hidden % heads == 0;
}

/// Numbers of a head that rotary positions turn, of so many heads.
int turnedNumbers(const ModelSpec& model, int heads)
{
    const int width = model.headWidth > 0 ? model.headWidth : model.hidden / heads;
    return static_cast<int>(width * model.rope.share);
}

void checkTurns(const ModelSpec& model, Checker& check)
{
    const int turned = turnedNumbers(model, model.heads);
    if (turned >= 2 && turned % 2 == 0)
        return;
    const auto works = [&](int heads) {
        const int numbers = turnedNumbers(model, heads);
        return model.hidden % heads == 0 && numbers >= 2 && numbers % 2 == 0;
    };
    const std::string nearest =
        model.headWidth > 0 ? std::string() : nearestHeads(model.heads, model.hidden, works);
    const std::string otherWidth =
        model.headWidth > 0 ? "make model.head_width an even number" : "make model.hidden an even number";
    check.require(
        false, "model.heads",
        fmt::format("{} heads of width {} cannot have rotary positions, which turn pairs of numbers",
                    model.heads, model.headSize()),
        (nearest.empty() ? otherWidth : fmt::format("use {} heads", nearest)) + ", or learned positions",
        model.rope.share == 1
            ? fmt::format("hidden {} / heads {} = {}, must be even", model.hidden, model.heads,
                          model.headSize())
            : fmt::format("{} of {} numbers turn, must be even and at least 2", turned, model.headSize()));
}

void checkKeyHeads(const ModelSpec& model, Checker& check)
{
    if (model.keyValueHeads < 1)
        return;
    check.require(model.heads % model.keyValueHeads == 0, "model.kv_heads",
                  fmt::format("{} heads cannot share {} heads of keys and values evenly", model.heads,
                              model.keyValueHeads),
                  "use a divisor of model.heads",
                  fmt::format("heads {} % kv_heads {} = {}, must be 0", model.heads, model.keyValueHeads,
                              model.heads % model.keyValueHeads));
    const FamilyNames& names = familyTable(model.family).names;
    check.require(!names.key.empty() || model.keyValueHeads == model.heads, "model.kv_heads",
                  fmt::format("is {}, and a {} model has one tensor of as many queries, keys and values",
                              model.keyValueHeads, nameOf(model.family)),
                  "leave it out, or choose another model.family");
}

void checkHeads(const ModelSpec& model, Checker& check)
{
    if (model.heads < 1 || model.hidden < 1 || model.headWidth < 0)
        return; // reported already
    const bool rotary = model.positions == PositionEncoding::Rotary;
    const auto works = [&](int heads) {
        return model.hidden % heads == 0 && (!rotary || model.hidden / heads % 2 == 0);
    };
    const std::string nearest = nearestHeads(model.heads, model.hidden, works);
    const std::string hint =
        nearest.empty() ? "make model.hidden an even number" : fmt::format("use {} heads", nearest);
    const bool divides = hasWholeHeads(model, model.heads);
    check.require(divides, "model.heads",
                  fmt::format("hidden {} is not a multiple of {} heads", model.hidden, model.heads), hint,
                  fmt::format("hidden {} % heads {} = {}, must be 0", model.hidden, model.heads,
                              model.hidden % model.heads));
    if (divides && rotary && model.rope.share > 0 && model.rope.share <= 1)
        checkTurns(model, check);
    checkKeyHeads(model, check);
}

void checkTokenTypes(const ModelSpec& model, Checker& check)
{
    if (model.isDecoder())
        return check.require(model.tokenTypes == 0, "model.token_types",
                             fmt::format("is {}, but a decoder has no token types", model.tokenTypes),
                             "set it to 0");
    if (model.family == ModelFamily::Bert)
        check.require(model.tokenTypes < 0 || model.tokenTypes >= 2, "model.token_types",
                      fmt::format("is {}", model.tokenTypes), "must be at least 2",
                      fmt::format("{} < 2", model.tokenTypes));
}

void checkScaling(const RopeSpec& rope, Checker& check)
{
    check.require(rope.scaling != RopeScaling::Llama3 || rope.highFrequencyFactor > rope.lowFrequencyFactor,
                  "model.rope.high_frequency_factor",
                  fmt::format("is {}, not above the low one", rope.highFrequencyFactor),
                  fmt::format("set it above {}", rope.lowFrequencyFactor),
                  fmt::format("high {} <= low {}", rope.highFrequencyFactor, rope.lowFrequencyFactor));
    check.require(rope.scaling != RopeScaling::Yarn || rope.base > 1, "model.rope.base",
                  fmt::format("is {}, and yarn needs turns of several speeds", rope.base), "set it above 1");
}

void checkFamily(const ModelSpec& model, Checker& check)
{
    checkTokenTypes(model, check);
    check.require(!model.nextSentence || model.family == ModelFamily::Bert, "model.next_sentence",
                  model.isDecoder()
                      ? std::string("is true, but a decoder has no next-sentence head")
                      : fmt::format("is true, but {} has no next-sentence head", nameOf(model.family)),
                  "set it to false");
    check.require(
        !model.parallelResidual || model.norm == NormPlacement::Pre, "model.parallel_residual",
        fmt::format("is true, and model.norm is {}: both branches start from the layer's input, which "
                    "only pre-norm layers normalise for each",
                    nameOf(model.norm)),
        "set model.norm to pre");
    check.require(model.queryKeyNorm == QueryKeyNorm::None || !familyTable(model.family).names.isHeadByHead,
                  "model.qk_norm",
                  fmt::format("is {}, and {} stores queries, keys and values together",
                              nameOf(model.queryKeyNorm), nameOf(model.family)),
                  "set it to none, or choose another model.family");
}

void checkExperts(const ModelSpec& model, Checker& check)
{
    const ExpertSpec& experts = model.experts;
    const bool isNamed = !familyTable(model.family).names.router.empty();
    check.require(isNamed == experts.isOn(), "model.experts.count",
                  fmt::format("is {}, and {} models have {}experts", experts.count, nameOf(model.family),
                              isNamed ? "" : "no "),
                  isNamed ? "set it to at least 2, or choose another model.family"
                          : "set model.family to mixtral or qwen3_moe, or leave section experts out");
    if (!experts.isOn() || !isNamed)
        return;
    check.require(experts.perToken <= experts.count, "model.experts.per_token",
                  fmt::format("is {}, more than there are experts", experts.perToken),
                  fmt::format("set it to at most {}", experts.count),
                  fmt::format("per_token {} > count {}", experts.perToken, experts.count));
    check.require(experts.every <= model.layers, "model.experts.every",
                  fmt::format("is {}, so that none of {} layers has experts", experts.every, model.layers),
                  fmt::format("set it to at most {}", model.layers),
                  fmt::format("every {} > layers {}", experts.every, model.layers));
    check.require(model.isGated(), "model.activation",
                  fmt::format("is {}, and experts have a gate", nameOf(model.activation)),
                  "set it to swiglu, geglu or geglu_new");
    check.require(!model.feedForwardBiases, "model.feed_forward_biases",
                  "is true, and products of experts have no bias", "set it to false");
}

std::string familiesWithTaskHeads()
{
    std::vector<std::string_view> names;
    for (std::size_t family = 0; family < familyTables().size(); ++family) {
        if (!familyTables()[family]->taskHeads.tokens.empty())
            names.push_back(nameOf(static_cast<ModelFamily>(family)));
    }
    return fmt::format("{}", fmt::join(names, ", "));
}

void checkTask(const ModelSpec& model, Checker& check)
{
    const TaskSpec& task = model.task;
    if (!task.isOn())
        return;
    const bool learns =
        task.hasHead() ? !familyTable(model.family).taskHeads.tokens.empty() : model.isDecoder();
    check.require(
        learns, "task.kind",
        fmt::format("is {}, which {} models do not learn", nameOf(task.kind), nameOf(model.family)),
        task.hasHead()
            ? fmt::format("set model.family to one of {}, or task.kind to complete", familiesWithTaskHeads())
            : std::string("set model.family to that of a decoder, such as gpt or llama, or task.kind "
                          "to classify, regress, tag or answer"));
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
    checkScaling(model.rope, check);
    checkFamily(model, check);
    checkExperts(model, check);
    checkTask(model, check);
    checkLora(model, check);
}

} // namespace trainyard
