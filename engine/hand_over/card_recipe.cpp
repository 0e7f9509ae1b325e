#include "engine/hand_over/card_sections.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/hand_over/card_text.h"
#include "engine/planner/layout/parameter_parts.h"
#include "engine/spec/lora_targets.h"
#include "engine/spec/names.h"

namespace trainyard::card {

namespace {

std::string optimizerText(const OptimizerSpec& optimizer)
{
    std::string text = std::string(nameOf(optimizer.kind));
    text += optimizer.kind == OptimizerKind::Sgd
                ? fmt::format(", momentum {}", optimizer.momentum)
                : fmt::format(", beta {} and {}, epsilon {}", optimizer.beta1, optimizer.beta2,
                              optimizer.epsilon);
    return text + fmt::format(", weight decay {}", optimizer.weightDecay);
}

std::string learningRateText(const OptimizerSpec& optimizer)
{
    std::string schedule = fmt::format("{} schedule", nameOf(optimizer.schedule));
    if (optimizer.schedule == ScheduleKind::Polynomial)
        schedule += fmt::format(" of power {}", optimizer.decayPower);
    if (optimizer.schedule == ScheduleKind::WarmupStableDecay)
        schedule += fmt::format(" (stable, then {} decay over {})", nameOf(optimizer.decayShape),
                                optimizer.decaySteps > 0 ? groupedCount(optimizer.decaySteps, "step")
                                                         : std::string("a tenth of the steps"));
    return fmt::format("peak {}, {}, {}", optimizer.learningRate,
                       groupedCount(optimizer.warmupSteps, "warm-up step"), schedule);
}

std::string precisionText(const RunSpec& spec)
{
    const bool isFull =
        spec.precision.compute == ComputeType::Float64 || spec.precision.compute == ComputeType::Float32;
    return fmt::format("{}{}", nameOf(spec.precision.compute),
                       isFull ? "" : ", with float32 master weights, which this folder has");
}

std::string batchText(const RunSpec& spec)
{
    const BatchRampSpec& ramp = spec.batch.ramp;
    const std::string growth =
        ramp.isOn() ? fmt::format(", grown from {} over the first {}", grouped(std::int64_t{ramp.start}),
                                  groupedCount(ramp.samples, "row"))
                    : std::string();
    return fmt::format("{}{}{}", groupedCount(spec.batch.global, "row"), growth,
                       spec.batch.packing ? ", packed without padding" : "");
}

std::string seenText(const CardFacts& facts)
{
    std::string text = grouped(facts.consumedSamples);
    const bool sawOthers = !facts.spec.phases.empty();
    const std::uint64_t rows = facts.dataSet && !sawOthers ? facts.dataSet->trainingRows() : 0;
    if (rows > 0)
        text += fmt::format(", {:.2f} times the training rows",
                            static_cast<double>(facts.consumedSamples) / static_cast<double>(rows));
    return text;
}

std::string adapterText(const CardFacts& facts)
{
    const ModelSpec& model = facts.spec.model;
    return fmt::format("rank {}, alpha {}, dropout {}, of {}: {} trained parameters; {}", model.lora.rank,
                       model.lora.alpha, model.lora.dropout,
                       plain(fmt::format("{}", fmt::join(loraTargets(model), ", "))),
                       grouped(trainedParameterCount(model)),
                       facts.adaptersAlone ? "this folder has them alone" : "merged into these weights");
}

Rows recipeRows(const CardFacts& facts)
{
    const RunSpec spec = facts.phase();
    Rows rows{{"Optimizer", optimizerText(spec.optimizer)},
              {"Learning rate", learningRateText(spec.optimizer)},
              {"Gradient clipping",
               spec.optimizer.clipNorm > 0 ? fmt::format("norm {}", spec.optimizer.clipNorm) : "none"},
              {"Batch", batchText(spec)},
              {"Steps", fmt::format("{} of {}", grouped(facts.step.value),
                                    grouped(std::int64_t{facts.spec.launch.steps}))},
              {"Rows seen", seenText(facts)}};
    // A journal that lacks steps would give too few.
    if (facts.history && facts.history->steps == facts.step.value)
        rows.push_back({"Tokens seen, without padding", grouped(facts.history->tokens)});
    if (facts.history && facts.history->skipped > 0)
        rows.push_back({"Steps skipped because of an overflow", grouped(facts.history->skipped)});
    rows.push_back({"Precision", precisionText(spec)});
    rows.push_back(
        {"Dropout", fmt::format("{}, of attention {}", spec.model.dropout, spec.model.attentionDropout)});
    if (spec.model.lora.isOn())
        rows.push_back({"Low-rank adapters", adapterText(facts)});
    rows.push_back({"Seed", std::to_string(spec.seed)});
    return rows;
}

/// Those up to the checkpoint.
Rows phaseRows(const CardFacts& facts)
{
    Rows rows;
    for (int phase = 0; phase <= phaseOfStep(facts.spec, facts.step.value); ++phase) {
        const RunSpec spec = specOfPhase(facts.spec, phase);
        const std::int64_t steps = spec.launch.steps;
        const std::int64_t done = std::min(steps, facts.step.value - stepsBefore(facts.spec, phase));
        rows.push_back({plain(phaseName(facts.spec, phase)),
                        fmt::format("{} of {}", grouped(done), grouped(steps)), dataSetName(spec),
                        batchText(spec), learningRateText(spec.optimizer)});
    }
    return rows;
}

std::string phases(const CardFacts& facts)
{
    if (facts.spec.phases.empty())
        return {};
    return "\n### Phases\n\nTraining data, recipe and layout in this card are those of the last one "
           "here.\n\n" +
           table({"Phase", "Steps", "Data set", "Batch", "Learning rate"}, phaseRows(facts));
}

} // namespace

std::string recipe(const CardFacts& facts)
{
    return "\n## Training\n\n" + table({"", ""}, recipeRows(facts)) + phases(facts);
}

} // namespace trainyard::card
