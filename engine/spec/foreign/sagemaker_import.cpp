#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "engine/spec/foreign/batch_settings.h"
#include "engine/spec/foreign/conversion.h"
#include "engine/spec/foreign/settings_reader.h"
#include "engine/spec/limits.h"

namespace trainyard {

namespace {

using Json = nlohmann::json;

constexpr const char* kNothing = "nothing to do";
constexpr const char* kItself = "Trainyard chooses it itself";

constexpr std::array kKnown{
    Explanation{"optimize",
                "every tensor rank has whole layer inputs, or with layout.sequence its share of them",
                "choose layout.sequence"},
    Explanation{"auto_partition", "stages are made equal in layers, parameters or cost",
                "choose layout.partition"},
    Explanation{"default_partition", "stages are consecutive layers", "choose layout.partition"},
    Explanation{"memory_weight", "stages are made equal in layers, parameters or cost",
                "choose layout.partition"},
    Explanation{"contiguous", "stages are consecutive layers", kNothing},
    Explanation{"active_microbatches", "the schedule decides how many micro-batches are held",
                "see layout.schedule"},
    Explanation{"activation_loading_horizon", "it counts pipeline tasks or layers of the script's model",
                "set memory.offload_horizon, in layers"},
    Explanation{"deterministic_server", "every rank runs a fixed list of actions", kNothing},
    Explanation{"skip_tracing", "no model is traced", kNothing},
    Explanation{"delayed_parameter_initialization", "each rank makes only its own weights", kNothing},
    Explanation{"sdp_*", kItself, kNothing},
    Explanation{"_*", kItself, kNothing},
    Explanation{"horovod", "there is one data parallelism", kNothing},
    Explanation{"fsdp_cache_flush_warnings", kItself, kNothing},
    Explanation{"allow_empty_shards", "parts are equal to one element", kNothing},
    Explanation{"moe*", "the training script builds the model", "see the fields of model.experts"},
    Explanation{"custom_mpi_options", "Trainyard sets what MPI needs", kNothing},
};

void readPlacement(SettingsReader& parameters, ParallelLayout& layout)
{
    layout.placement = parameters.getOr<std::string>("placement_strategy", "cluster");
    std::string letters = layout.placement;
    std::sort(letters.begin(), letters.end());
    if (letters != "DPT" && layout.placement != "cluster" && layout.placement != "spread")
        parameters.complain("placement_strategy", "\"" + layout.placement + "\" is not a placement",
                            "use \"cluster\", \"spread\" or an order of D, P and T");
}

/// What SageMaker calls interleaved takes forward and backward passes in turns: 1F1B. Chunks it has none.
void readSchedule(SettingsReader& parameters, ParallelLayout& layout)
{
    const std::string pipeline = parameters.getOr<std::string>("pipeline", "interleaved");
    if (pipeline != "interleaved" && pipeline != "simple")
        parameters.complain("pipeline", "unknown schedule \"" + pipeline + "\"", "use interleaved or simple");
    layout.schedule =
        pipeline == "simple" ? PipelineScheduleKind::GPipe : PipelineScheduleKind::OneForwardOneBackward;
    layout.virtualStages = 1;
}

void readDegrees(SettingsReader& parameters, ParallelLayout& layout)
{
    const char* pipeline =
        parameters.has("pipeline_parallel_degree") ? "pipeline_parallel_degree" : "partitions";
    layout.pipeline = parameters.getCount(pipeline, kMaxRanks).value_or(1);
    layout.tensor = parameters.getCount("tensor_parallel_degree", kMaxRanks).value_or(1);
    layout.context = parameters.getCount("context_parallel_degree", kMaxRanks).value_or(1);
    if (parameters.getOr("expert_parallel_degree", 1) != 1)
        parameters.omit("expert_parallel_degree", "the training script builds the model",
                        "choose a model with experts and set layout.expert");
    if (!parameters.getOr("prescaled_batch", true) && layout.tensor > 1)
        parameters.omit("prescaled_batch", "ranks of a tensor group compute on the same samples",
                        "reckon the global batch from the data-parallel degree");
}

/// Version 1: false, and as many replicas as there are otherwise, would leave ranks without work.
void readDataParallelism(SettingsReader& parameters, ImportBase& base, const ParallelLayout& layout)
{
    const auto ddp = parameters.get<bool>("ddp");
    if (ddp && !*ddp)
        base.ranks = static_cast<int>(
            std::min<long>(long{layout.pipeline} * layout.tensor * layout.context, kMaxRanks));
}

/// Only version 2 knows these.
bool isSecondVersion(const SettingsReader& parameters)
{
    constexpr std::array kKeys{"hybrid_shard_degree", "sm_activation_offloading", "context_parallel_degree",
                               "allow_empty_shards", "fsdp_cache_flush_warnings"};
    return std::ranges::any_of(kKeys, [&](const char* key) { return parameters.has(key); });
}

/// Degree 0 of version 2 leaves the states to the script; with tensor parallelism all ranks share them.
void readSharding(SettingsReader& parameters, RunSpec& spec)
{
    const bool one = parameters.getOr("shard_optimizer_state", false);
    const bool second = isSecondVersion(parameters);
    const char* key = second ? "hybrid_shard_degree" : "sharded_data_parallel_degree";
    const int least = second ? 0 : 1;
    const int degree = parameters.getOr(key, least);
    const long ranks = long{spec.layout.data} * spec.layout.context;
    if (degree == 0 && second && spec.layout.tensor == 1)
        parameters.omit(key, "the training script chooses how states are shared", "choose memory.zero_stage");
    else if (degree < least)
        parameters.complain(key, fmt::format("is {}", degree), fmt::format("must be at least {}", least));
    else
        spec.memory.zeroStage = degree != 1 ? 3 : one ? 1 : 0;
    spec.layout.shard = degree > 1 && ranks % degree == 0 && degree < ranks ? degree : 0;
    if (degree > 1 && ranks % degree != 0)
        parameters.omit(
            key,
            fmt::format(
                "{} data-parallel ranks cannot be divided into groups of {}, so that all share the states",
                ranks, degree),
            "choose layout.shard");
    parameters.readBucketSize("sdp_reduce_bucket_size", spec.layout.bucketSize);
    parameters.read("sdp_gradient_clipping", spec.optimizer.clipNorm);
}

void readPrecision(SettingsReader& parameters, PrecisionSpec& precision)
{
    const bool half = parameters.getOr("fp16", false) | parameters.getOr("fp16_params", false);
    const bool brain = parameters.getOr("bf16", false);
    if (half && brain)
        parameters.complain("bf16", "is given together with fp16", "give one of them");
    if (half || brain)
        precision.compute = brain ? ComputeType::BFloat16 : ComputeType::Float16;
}

bool offloadsActivations(SettingsReader& parameters)
{
    return parameters.getOr("offload_activations", false) |
           parameters.getOr("sm_activation_offloading", false);
}

void readParameters(SettingsReader& parameters, ImportBase base, ImportedSpec& imported)
{
    RunSpec& spec = imported.spec;
    readDegrees(parameters, spec.layout);
    readPlacement(parameters, spec.layout);
    readSchedule(parameters, spec.layout);
    readDataParallelism(parameters, base, spec.layout);
    BatchSettings batch{std::nullopt, spec.batch.micro, spec.batch.accumulation};
    const bool first = parameters.has("pipeline_parallel_degree") || parameters.has("partitions");
    if (const auto microBatches = parameters.getCount("microbatches", kMaxSequences); microBatches || first)
        batch.accumulation = microBatches.value_or(1);
    settleBatch(batch, base, imported);
    readSharding(parameters, spec);
    readPrecision(parameters, spec.precision);
    spec.memory.offloadActivations = offloadsActivations(parameters);
    parameters.read("random_seed", spec.seed);
}

/// `processes_per_host` tells nothing without the number of hosts, which the job is started with.
void readMpi(SettingsReader& mpi)
{
    mpi.take("enabled");
    if (mpi.getCount("processes_per_host", kMaxRanks))
        mpi.omit("processes_per_host", "hosts and their ranks are those of the specification",
                 "write them to cluster.nodes");
}

/// The parameters may stand alone, in {"enabled", "parameters"}, or in a whole `distribution`.
void readUnwrapped(SettingsReader& settings, const ImportBase& base, ImportedSpec& imported)
{
    bool wrapped = false;
    const auto unwrap = [&](SettingsReader& inner) {
        wrapped = true;
        readUnwrapped(inner, base, imported);
    };
    for (const char* wrapper :
         {"distribution", "smp_options", "smdistributed", "modelparallel", "parameters"})
        settings.section(wrapper, unwrap);
    if (!wrapped)
        return readParameters(settings, base, imported);
    settings.section("torch_distributed", [](SettingsReader& launcher) { launcher.take("enabled"); });
    settings.section("mpi", readMpi);
    if (!settings.getOr("enabled", true))
        settings.omit("enabled", "the parameters are taken as they are", "use them, or do not import them");
}

} // namespace

ImportedSpec importSageMaker(std::string_view text, const ImportBase& base)
{
    ImportedSpec imported{base.spec, {}, {}};
    const Json settings = parseForeignJson(text, imported);
    if (!imported.problems.empty())
        return imported;
    SettingsReader root(settings, "", kKnown, imported);
    readUnwrapped(root, base, imported);
    root.finish();
    return imported;
}

} // namespace trainyard
