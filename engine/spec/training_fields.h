#pragma once

#include "engine/spec/field_info.h"
#include "engine/spec/limits.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

template <typename Visitor>
void describe(Visitor& field, Of<BatchRampSpec>)
{
    constexpr const char* kSource = "Brown et al., arXiv:2005.14165, appendix B";
    field("start", &BatchRampSpec::start,
          {.label = "Batch at start",
           .help = "Sequences of the first step; 0 takes batch.global in every step",
           .range = atLeast(0),
           .zero = "Off",
           .source = kSource});
    field("increment", &BatchRampSpec::increment,
          {.label = "Batch increment",
           .help = "Sequences by which the batch grows each time",
           .range = atLeast(0),
           .source = kSource});
    field("samples", &BatchRampSpec::samples,
          {.label = "Batch growth",
           .help = "Sequences over which the batch grows, in equal parts, to batch.global",
           .range = atLeast(0),
           .unit = "sequences",
           .source = kSource});
}

template <typename Visitor>
void describe(Visitor& field, Of<BatchSpec>)
{
    field("global", &BatchSpec::global,
          {.label = "Global batch",
           .help = "Sequences per optimizer step = micro × accumulation × layout.data",
           .range = atLeast(1),
           .source = "You et al., arXiv:1904.00962, on large batches"});
    field("micro", &BatchSpec::micro,
          {.label = "Micro-batch",
           .help = "Sequences that a rank processes at once: more use the device better but need more memory",
           .range = between(1, kMaxSequences)});
    field("accumulation", &BatchSpec::accumulation,
          {.label = "Accumulation",
           .help = "Micro-batches accumulated before each optimizer step: more fill a pipeline better",
           .range = between(1, kMaxSequences)});
    field("packing", &BatchSpec::packing,
          {.label = "Pack sequences",
           .help = "Concatenates sequences without padding; attention does not cross their boundaries",
           .source = "Krell et al., arXiv:2107.02027"});
    field("ramp", &BatchSpec::ramp,
          {.help = "Growth of the global batch over the first sequences, as Megatron-LM's "
                   "--rampup-batch-size",
           .onlyIfSet = true});
}

template <typename Visitor>
void describe(Visitor& field, Of<OptimizerSpec>)
{
    field("kind", &OptimizerSpec::kind,
          {.label = "Optimizer",
           .help = "LAMB and LANS suit very large batches; lamb-paper is LAMB as published",
           .source = "You et al., arXiv:1904.00962; Loshchilov and Hutter, arXiv:1711.05101; Zheng et al., "
                     "arXiv:2006.13484"});
    field("learning_rate", &OptimizerSpec::learningRate,
          {.label = "Learning rate",
           .help = "Peak learning rate, reached after the warm-up",
           .range = positive(),
           .source = "You et al., arXiv:1904.00962, on large batches"});
    field("beta1", &OptimizerSpec::beta1,
          {.label = "Beta 1",
           .help = "Decay of the first moment",
           .range = fraction(),
           .source = "Kingma and Ba, arXiv:1412.6980"});
    field("beta2", &OptimizerSpec::beta2,
          {.label = "Beta 2",
           .help = "Decay of the second moment",
           .range = fraction(),
           .source = "Kingma and Ba, arXiv:1412.6980"});
    field("momentum", &OptimizerSpec::momentum,
          {.label = "Momentum", .help = "SGD only; 0 disables momentum", .range = fraction()});
    field("epsilon", &OptimizerSpec::epsilon,
          {.label = "Epsilon",
           .help = "Added to the root of the second moment",
           .range = positive(),
           .source = "Kingma and Ba, arXiv:1412.6980"});
    field("weight_decay", &OptimizerSpec::weightDecay,
          {.label = "Weight decay",
           .help = "Not applied to biases and layer norms",
           .range = atLeast(0),
           .source = "Loshchilov and Hutter, arXiv:1711.05101"});
    field("clip_norm", &OptimizerSpec::clipNorm,
          {.label = "Gradient clipping",
           .help = "Largest global gradient norm; 0 disables clipping",
           .range = atLeast(0),
           .source = "Pascanu et al., arXiv:1211.5063"});
    field("schedule", &OptimizerSpec::schedule,
          {.label = "Schedule",
           .help = "Fall of the learning rate after the warm-up; wsd keeps its peak until the last "
                   "optimizer.decay_steps",
           .source = "Loshchilov, arXiv:1608.03983; wsd: Hu et al., arXiv:2404.06395"});
    field("warmup_steps", &OptimizerSpec::warmupSteps,
          {.label = "Warm-up",
           .help = "Steps over which the learning rate rises linearly from 0",
           .range = atLeast(0),
           .unit = "steps",
           .source = "Goyal et al., arXiv:1706.02677"});
    field("decay_power", &OptimizerSpec::decayPower,
          {.label = "Decay power", .help = "Exponent of the polynomial schedule", .range = positive()});
    field("decay_steps", &OptimizerSpec::decaySteps,
          {.label = "Decay steps",
           .help = "wsd only: last steps, over which the learning rate falls; 0 takes a tenth of the steps",
           .range = atLeast(0),
           .unit = "steps",
           .zero = "Auto",
           .source = "Hu et al., arXiv:2404.06395",
           .onlyIfSet = true});
    field("decay_shape", &OptimizerSpec::decayShape,
          {.label = "Decay shape",
           .help = "wsd only: how the learning rate falls to 0 over the decay steps",
           .source = "Hägele et al., arXiv:2405.18392",
           .onlyIfSet = true});
}

template <typename Visitor>
void describe(Visitor& field, Of<LossScaleSpec>)
{
    constexpr const char* kSource = "Micikevicius et al., arXiv:1710.03740";
    field("initial", &LossScaleSpec::initial,
          {.label = "Initial scale",
           .help = "Scale of the first step",
           .range = positive(),
           .source = kSource});
    field("growth_interval", &LossScaleSpec::growthInterval,
          {.label = "Growth interval",
           .help = "Steps without overflow after which the scale doubles",
           .range = atLeast(1),
           .unit = "steps",
           .source = kSource});
    field("backoff", &LossScaleSpec::backoff,
          {.label = "Backoff",
           .help = "An overflow multiplies the scale by this",
           .range = openFraction(),
           .source = kSource});
    field("hysteresis", &LossScaleSpec::hysteresis,
          {.label = "Hysteresis",
           .help = "Overflows since the scale last grew before it is lowered",
           .range = atLeast(1),
           .unit = "overflows",
           .source = kSource});
    field("minimum", &LossScaleSpec::minimum,
          {.label = "Minimum scale",
           .help = "An overflow at this scale ends the run",
           .range = positive(),
           .source = kSource});
}

template <typename Visitor>
void describe(Visitor& field, Of<PrecisionSpec>)
{
    field("compute", &PrecisionSpec::compute,
          {.label = "Compute type",
           .help = "Type of the forward and backward pass; bfloat16 and float16 keep float32 master weights",
           .source = "Micikevicius et al., arXiv:1710.03740"});
    field("loss_scale", &PrecisionSpec::lossScale,
          {.help = "Dynamic loss scaling; only with precision.compute \"float16\""});
}

template <typename Visitor>
void describe(Visitor& field, Of<MemorySpec>)
{
    constexpr const char* kOffload = "Rajbhandari et al., arXiv:2104.07857";
    field("zero_stage", &MemorySpec::zeroStage,
          {.label = "ZeRO stage",
           .help = "Data-parallel ranks share optimizer state (1), gradients too (2), weights too (3), or "
                   "nothing (0)",
           .range = between(0, 3),
           .source = "Rajbhandari et al., arXiv:1910.02054"});
    field("recompute", &MemorySpec::recompute,
          {.label = "Recompute",
           .help = "Recomputes in the backward pass, instead of keeping it: the core of the attention "
                   "(selective) or whole layers (full)",
           .source = "Korthikanti et al., arXiv:2205.05198"});
    field("recompute_every", &MemorySpec::recomputeEvery,
          {.label = "Recompute interval",
           .help = "Full recomputation only: 1 recomputes every layer, 2 every other one",
           .range = atLeast(1),
           .source = "Chen et al., arXiv:1604.06174"});
    field("offload_activations", &MemorySpec::offloadActivations,
          {.label = "Offload activations",
           .help = "Keeps the activations for the backward pass in host memory",
           .source = kOffload});
    field("offload_horizon", &MemorySpec::offloadHorizon,
          {.label = "Prefetch distance",
           .help = "Layers ahead of the backward pass for which offloaded activations are fetched",
           .range = atLeast(0),
           .source = kOffload});
    field("offload_optimizer", &MemorySpec::offloadOptimizer,
          {.label = "Offload optimizer",
           .help = "Keeps master weights and moments in host memory, where the update runs",
           .source = "Ren et al., arXiv:2101.06840"});
    field("offload_parameters", &MemorySpec::offloadParameters,
          {.label = "Offload parameters",
           .help = "Keeps a rank's share of the weights in host memory between its uses; ZeRO 3 only",
           .source = kOffload});
}

} // namespace trainyard
