#include <array>

#include <nlohmann/json.hpp>

#include "engine/spec/foreign/conversion.h"
#include "engine/spec/foreign/spec_difference.h"

namespace trainyard {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::array kNotCarried{
    Explanation{"task", "the training script builds the head", "build it in the script"},
    Explanation{"cluster", "the estimator has instance type and count", "give them there"},
    Explanation{"memory.zero_stage", "version 1 shards the optimizer or everything, version 2 everything",
                "use stage 3, or stage 1 with a pipeline"},
    Explanation{"memory.offload_horizon", "it counts pipeline tasks, not layers",
                "set activation_loading_horizon"},
    Explanation{"memory.recompute*", "the training script calls the checkpointing", "call it there"},
    Explanation{"layout.context", "only version 2 has it, and it has no pipeline", "use one of them"},
    Explanation{"layout.expert*", "only version 2 shares experts, of models that the training script builds",
                "see expert_parallel_degree"},
    Explanation{"layout.shard", "version 2 shards within groups, everything or nothing", "use stage 3"},
    Explanation{"layout.schedule", "SageMaker's pipeline runs 1F1B or GPipe", "use one of these"},
    Explanation{"layout.virtual_stages", "a rank has one chunk of the model", "use 1"},
    Explanation{"layout.placement", "version 2 orders the ranks itself", "nothing to do"},
    Explanation{"layout.partition", "the library makes the stages equal", "see auto_partition"},
    Explanation{"model", "the training script builds the model", "build it in the script"},
    Explanation{"batch", "the training script makes the batches", "give their size to the script"},
    Explanation{"optimizer", "the training script makes the optimizer", "make it in the script"},
    Explanation{"dataset", "the training script reads the data", "give the path to the script"},
    Explanation{"init", "the training script loads the weights", "load them in the script"},
    Explanation{"evaluation", "the training script evaluates", "evaluate in the script"},
    Explanation{"checkpoint", "the training script saves checkpoints", "save them in the script"},
    Explanation{"precision", "the training script chooses it where the library does not",
                "set it in the script"},
    Explanation{"seed", "only version 2 seeds", "seed in the script"},
    Explanation{"phases", "an estimator trains one phase", "export the specification of each phase"},
    Explanation{"launch", "the estimator or the script decides it", "set it there"},
};

Json pipelineVersion(const RunSpec& spec)
{
    const ParallelLayout& layout = spec.layout;
    Json parameters{{"pipeline_parallel_degree", layout.pipeline},
                    {"tensor_parallel_degree", layout.tensor},
                    {"microbatches", spec.batch.accumulation},
                    {"pipeline", layout.schedule == PipelineScheduleKind::GPipe ? "simple" : "interleaved"},
                    {"placement_strategy", layout.placement},
                    {"ddp", layout.data > 1 || layout.tensor > 1},
                    {"prescaled_batch", true},
                    {"shard_optimizer_state", spec.memory.zeroStage == 1},
                    {"offload_activations", spec.memory.offloadActivations}};
    if (spec.precision.compute == ComputeType::BFloat16)
        parameters["bf16"] = true;
    if (spec.precision.compute == ComputeType::Float16)
        parameters["fp16"] = true;
    return parameters;
}

Json shardingVersion(const RunSpec& spec)
{
    Json parameters{{"tensor_parallel_degree", spec.layout.tensor},
                    {"context_parallel_degree", spec.layout.context},
                    {"sm_activation_offloading", spec.memory.offloadActivations},
                    {"random_seed", spec.seed}};
    if (spec.layout.expert > 1)
        parameters["expert_parallel_degree"] = spec.layout.expert;
    if (spec.memory.zeroStage == 0 || spec.memory.zeroStage == 3)
        parameters["hybrid_shard_degree"] = spec.memory.zeroStage == 3 ? spec.layout.shardRanks() : 1;
    return parameters;
}

} // namespace

/// Only version 1 of the library has pipelines; version 2 is what is kept up, and serves where there is none.
ExportedSettings exportSageMaker(const RunSpec& spec)
{
    const Json parameters = spec.layout.pipeline > 1 ? pipelineVersion(spec) : shardingVersion(spec);
    const std::string text = Json{{"enabled", true}, {"parameters", parameters}}.dump(2) + "\n";
    const ImportedSpec carried = importSageMaker(text, freshBaseFor(spec));
    return {text, fieldsNotCarried(spec, carried.spec, kNotCarried, "SageMaker's model-parallel library")};
}

} // namespace trainyard
