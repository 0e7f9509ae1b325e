#pragma once

#include "engine/spec/field_info.h"
#include "engine/spec/limits.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

template <typename Visitor>
void describe(Visitor& field, Of<NodeSpec>)
{
    field("host", &NodeSpec::host, {.help = "Name as passed to ssh; localhost is this machine, without ssh"});
    field("slots", &NodeSpec::slotCount,
          {.help = "Ranks that may run there, one per device", .range = between(1, kMaxRanks)});
    field("memory", &NodeSpec::memory,
          {.help = "Memory that each rank there may use; without it, any that the host has",
           .unit = "GiB",
           .optional = true});
    field("hardware", &NodeSpec::hardware,
          {.help = "Hardware of the machine, for planning time and memory: a preset of "
                   "resources/presets/hardware, or your own",
           .pattern = "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$",
           .optional = true});
    field("devices", &NodeSpec::devices,
          {.help =
               "GPUs that the ranks there take, free ones first: indices or names (GPU-... or MIG-...) as "
               "`nvidia-smi -L` prints them; without it, any of them",
           .optional = true});
}

template <typename Visitor>
void describe(Visitor& field, Of<ClusterSpec>)
{
    field("nodes", &ClusterSpec::nodes,
          {.help = "Each host once; with Slurm one entry per node of the job, all with the login host's name "
                   "and the same slots"});
}

template <typename Visitor>
void describe(Visitor& field, Of<ParallelLayout>)
{
    field("data", &ParallelLayout::data,
          {.label = "Data parallel",
           .help = "Model replicas that split the batch and all-reduce gradients each step",
           .range = between(1, kMaxRanks),
           .source = "Li et al., arXiv:2006.15704"});
    field("tensor", &ParallelLayout::tensor,
          {.label = "Tensor parallel",
           .help = "Ranks that share the matrices of every layer",
           .range = between(1, kMaxRanks),
           .source = "Shoeybi et al., arXiv:1909.08053"});
    field("pipeline", &ParallelLayout::pipeline,
          {.label = "Pipeline",
           .help = "Ranks that hold consecutive layers",
           .range = between(1, kMaxRanks),
           .source = "Narayanan et al., arXiv:2104.04473"});
    field("context", &ParallelLayout::context,
          {.label = "Context parallel",
           .help = "Ranks that share the tokens of each sequence, attention included",
           .range = between(1, kMaxRanks),
           .source = "Liu et al., arXiv:2310.01889"});
    field(
        "expert", &ParallelLayout::expert,
        {.label = "Expert parallel",
         .help =
             "Data-parallel ranks that share the experts of each layer, each with its part of them; divides "
             "data",
         .range = between(1, kMaxRanks),
         .source = "Lepikhin et al., arXiv:2006.16668",
         .onlyIfSet = true});
    field("expert_placement", &ParallelLayout::expertPlacement,
          {.label = "Place experts",
           .help =
               "inner: ranks that share experts are neighbours along the data axis; outer: those with the "
               "same experts are",
           .onlyIfSet = true});
    field("shard", &ParallelLayout::shard,
          {.label = "Shard within",
           .help = "Neighbouring data-parallel ranks that share one copy of what ZeRO shards, e.g. those of "
                   "a host; 0: all",
           .range = between(0, kMaxRanks),
           .unit = "ranks",
           .zero = "All",
           .source = "Zhang et al., arXiv:2205.00119",
           .onlyIfSet = true});
    field("placement", &ParallelLayout::placement,
          {.label = "Placement",
           .help =
               "Order of the axes data, pipeline and tensor: the right-most letter varies fastest with the "
               "rank; cluster is DPT, spread is TPD",
           .choices = "cluster, spread, DPT, DTP, PDT, PTD, TDP, TPD"});
    field("sequence", &ParallelLayout::sequence,
          {.label = "Sequence parallel",
           .help = "The ranks of a tensor group also share the tokens between the split products, and their "
                   "memory",
           .source = "Korthikanti et al., arXiv:2205.05198"});
    field("schedule", &ParallelLayout::schedule,
          {.label = "Schedule",
           .help = "Order of the pipeline's passes: 1f1b holds fewer activations than gpipe, interleaved and "
                   "zero-bubble idle less",
           .source = "Narayanan et al., arXiv:2104.04473; Qi et al., arXiv:2401.10241"});
    field(
        "virtual_stages", &ParallelLayout::virtualStages,
        {.label = "Virtual stages",
         .help = "Chunks of the model on each pipeline rank; more than 1 with the interleaved schedule only",
         .range = between(1, kMaxLayers),
         .unit = "per rank",
         .source = "Narayanan et al., arXiv:2104.04473"});
    field("partition", &ParallelLayout::partition,
          {.label = "Balance stages by",
           .help =
               "Balances the pipeline's stages by layers, parameters or cost, or lists the layers of each "
               "stage, e.g. 3, 4, 4, 3"});
    field("bucket_size", &ParallelLayout::bucketSize,
          {.label = "Bucket size",
           .help = "Gradients are reduced in buckets of about this size, during the backward pass",
           .range = atLeast(64 * kKiB),
           .unit = "MiB",
           .source = "Li et al., arXiv:2006.15704"});
}

} // namespace trainyard
