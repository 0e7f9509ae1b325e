#include "engine/spec/recipe_remarks.h"

#include <fmt/format.h>

namespace trainyard {

namespace {

/// The highest rate that we know of from a published training, and where.
struct PublishedRate {
    double most;
    const char* source;
};

PublishedRate publishedRate(OptimizerKind kind)
{
    switch (kind) {
    case OptimizerKind::AdamW:
        return {0.01, "BERT was trained with 0.0001 (arXiv:1810.04805), GPT-3 with 0.00006 to 0.0006 "
                      "(arXiv:2005.14165)"};
    case OptimizerKind::Lamb:
    case OptimizerKind::LambPaper:
        return {0.05, "BERT Large was trained with up to 0.01 at batches of 32,768 (arXiv:1904.00962)"};
    case OptimizerKind::Lans:
        return {0.05, "BERT Large was trained with 0.007 at batches of 98,304 (arXiv:2006.13484)"};
    case OptimizerKind::Sgd:
        return {10, "transformers are seldom trained with SGD above 1"};
    }
    return {0, ""};
}

void remarkOnRate(const OptimizerSpec& optimizer, Checker& check)
{
    const PublishedRate published = publishedRate(optimizer.kind);
    check.require(optimizer.learningRate <= published.most, "optimizer.learning_rate",
                  fmt::format("is {}, at which training is likely to diverge: {}", optimizer.learningRate,
                              published.source),
                  fmt::format("set it to at most {}", published.most));
}

/// All weights of a model that has learned already move: what it knows is soon lost.
void remarkOnFineTuning(const RunSpec& spec, Checker& check)
{
    constexpr double kMost = 5e-4;
    const bool isFineTuning = spec.init.isOn() && spec.model.task.isOn() && !spec.model.lora.isOn();
    const double rate = spec.optimizer.learningRate;
    check.require(
        !isFineTuning || spec.optimizer.kind != OptimizerKind::AdamW || rate <= kMost ||
            rate > publishedRate(OptimizerKind::AdamW).most,
        "optimizer.learning_rate",
        fmt::format("is {}, which is high for fine-tuning a whole model: BERT was fine-tuned with 0.00002 to "
                    "0.00005 (arXiv:1810.04805)",
                    rate),
        "set it to 0.00005, or train adapters (lora.rank)");
}

void remarkOnWarmup(const RunSpec& spec, Checker& check)
{
    const int warmup = spec.optimizer.warmupSteps;
    const int steps = spec.launch.steps;
    check.require(
        warmup <= steps / 2 || warmup > steps, "optimizer.warmup_steps", // more is no remark, but refused
        fmt::format(
            "is {} of {} steps: most of the run is at less than its learning rate; BERT and GPT-3 took "
            "1 % of theirs (arXiv:1810.04805, arXiv:2005.14165)",
            warmup, steps),
        "lower it, or raise launch.steps");
}

/// You et al. (arXiv:1904.00962), section 4: AdamW needs more steps from batches of 16,384 on, and diverges
/// at 32,768.
void remarkOnBatch(const RunSpec& spec, Checker& check)
{
    constexpr int kMost = 16384;
    check.require(
        spec.optimizer.kind != OptimizerKind::AdamW || spec.batch.global <= kMost, "batch.global",
        fmt::format("is {}: AdamW loses accuracy with batches of more than {} sequences (arXiv:1904.00962)",
                    spec.batch.global, kMost),
        "set optimizer.kind to \"lamb\", or lower the batch");
}

} // namespace

void remarkOnRecipe(const RunSpec& spec, Checker& check)
{
    remarkOnRate(spec.optimizer, check);
    remarkOnFineTuning(spec, check);
    remarkOnWarmup(spec, check);
    remarkOnBatch(spec, check);
}

} // namespace trainyard
