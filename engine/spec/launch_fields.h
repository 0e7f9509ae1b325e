#pragma once

#include "engine/spec/field_info.h"
#include "engine/spec/limits.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

template <typename Visitor>
void describe(Visitor& field, Of<MixedDataSet>)
{
    field("path", &MixedDataSet::path,
          {.label = "Data set", .help = "Folder with manifest.json, as every host sees it", .pattern = "^/"});
    field("weight", &MixedDataSet::weight,
          {.label = "Weight",
           .help = "Its rows in the training data, in proportion to the weights of all; at most six decimals",
           .range = {.min = 0, .max = kMaxMixWeight, .withMin = false}});
}

template <typename Visitor>
void describe(Visitor& field, Of<DatasetSpec>)
{
    field("path", &DatasetSpec::path,
          {.label = "Data set", .help = "Folder with manifest.json, as every host sees it", .pattern = "^/"});
    field("mix", &DatasetSpec::mix,
          {.help = "Data sets whose rows are mixed by weight, instead of dataset.path",
           .source = "Brown et al., arXiv:2005.14165, section 2.2",
           .optional = true});
}

template <typename Visitor>
void describe(Visitor& field, Of<CheckpointSpec>)
{
    field("every_steps", &CheckpointSpec::everySteps,
          {.label = "Save every",
           .help = "Steps between checkpoints; 0 writes one at the end only",
           .range = atLeast(0),
           .unit = "steps",
           .zero = "At the end"});
    field("keep_last", &CheckpointSpec::keepLast,
          {.label = "Keep last",
           .help = "Newest checkpoints to keep; older ones are removed after a newer one is published",
           .range = atLeast(1),
           .unit = "checkpoints"});
    field("keep_every", &CheckpointSpec::keepEvery,
          {.label = "Keep permanently",
           .help = "Also keeps the checkpoint of every Nth step; 0 keeps none of them",
           .range = atLeast(0),
           .unit = "steps",
           .zero = "Off"});
    field("copies", &CheckpointSpec::copies,
          {.label = "Copies",
           .help = "Copies of each host's part on the next host, where hosts share no folder; 0 makes none",
           .range = between(0, 1),
           .unit = "copies",
           .zero = "None",
           .onlyIfSet = true});
    field("asynchronous", &CheckpointSpec::asynchronous,
          {.label = "Asynchronous",
           .help =
               "Training continues while a copy of the state is written; the copy takes as much host memory "
               "as the state"});
}

template <typename Visitor>
void describe(Visitor& field, Of<SlurmSpec>)
{
    field("partition", &SlurmSpec::partition,
          {.label = "Partition",
           .help = "Slurm partition, or several separated by commas; empty selects the cluster's default"});
    field("account", &SlurmSpec::account,
          {.label = "Account", .help = "Account that Slurm charges; empty selects your default"});
    field("qos", &SlurmSpec::qos,
          {.label = "QOS", .help = "Slurm's quality of service; empty selects your default"});
    field(
        "constraint", &SlurmSpec::constraint,
        {.label = "Features", .help = "Required features of the nodes, e.g. a100&nvlink; empty allows any"});
    field("time_limit", &SlurmSpec::timeLimit,
          {.label = "Time limit",
           .help = "Time limit of the job, in whole minutes; 0 selects the partition's",
           .unit = "minutes"});
    field("requeue", &SlurmSpec::requeue,
          {.label = "Requeue",
           .help = "A job that loses a node waits for another one and resumes from its last checkpoint"});
    field("warning", &SlurmSpec::warning,
          {.label = "Limit margin",
           .help = "Time before the job's limit at which the run writes a checkpoint and stops",
           .range = atMost(minutes(60)),
           .unit = "seconds"});
}

template <typename Visitor>
void describe(Visitor& field, Of<RestartSpec>)
{
    field("limit", &RestartSpec::limit,
          {.label = "Restarts",
           .help = "Restarts in a row without a new checkpoint, each from the last one; 0 disables restarts",
           .range = between(0, 1000),
           .zero = "Off"});
    field("backoff", &RestartSpec::backoff,
          {.label = "Restart delay",
           .help = "Wait before the first restart; doubles with each, up to 5 minutes",
           .range = atMost(minutes(5)),
           .unit = "seconds"});
    field("after_reboot", &RestartSpec::afterReboot,
          {.label = "After a reboot", .help = "Also resumes the run after a reboot of the first host"});
    field("elastic", &RestartSpec::elastic,
          {.label = "Elastic",
           .help =
               "Continues with fewer data-parallel ranks and the same global batch while hosts are away, and "
               "takes them back, after a checkpoint, when they return"});
}

template <typename Visitor>
void describe(Visitor& field, Of<LaunchSpec>)
{
    field(
        "steps", &LaunchSpec::steps,
        {.label = "Steps", .help = "Optimizer steps of the whole run", .range = atLeast(1), .unit = "steps"});
    field("threads_per_rank", &LaunchSpec::threadsPerRank,
          {.label = "Threads",
           .help = "Compute threads of each rank",
           .range = atLeast(1),
           .unit = "per rank"});
    field("nice", &LaunchSpec::nice,
          {.label = "Niceness",
           .help = "Niceness of the ranks: with 19, others who use the same machine hardly notice them",
           .range = between(0, 19)});
    field("device", &LaunchSpec::device,
          {.label = "Compute on",
           .help =
               "Device that ranks compute on; auto is a GPU where every rank has one of its own, else the "
               "processor"});
    field("grace_period", &LaunchSpec::gracePeriod,
          {.label = "Stop timeout",
           .help = "Time between asking a run to stop and killing it",
           .range = atMost(minutes(10)),
           .unit = "seconds"});
    field("collective_timeout", &LaunchSpec::collectiveTimeout,
          {.label = "NCCL timeout",
           .help = "Time after which a collective of GPUs that not all ranks have entered ends the attempt; "
                   "longer than the slowest checkpoint or read of a rank",
           .range = between(minutes(1), minutes(24 * 60)),
           .unit = "seconds",
           .onlyIfSet = true});
    field("launcher", &LaunchSpec::launcher,
          {.label = "Launcher",
           .help = "mpi: mpirun over ssh; slurm: a batch job of the cluster whose login host every entry of "
                   "cluster.nodes names"});
    field("mpi", &LaunchSpec::mpi,
          {.label = "MPI",
           .help =
               "MPI that the ranks use: bundled comes with the engine, with its own C library; node is the "
               "host's, as always in batch jobs",
           .onlyIfSet = true});
    field("wait_for_devices", &LaunchSpec::waitForDevices,
          {.label = "Wait for devices",
           .help = "Training and calibration wait until nobody else uses the GPUs, or without GPUs the "
                   "cores, that the ranks need; other jobs start at once. Slurm waits anyway",
           .onlyIfSet = true});
    field("network", &LaunchSpec::network,
          {.label = "Network",
           .help = "Network between the hosts for the ranks: addresses such as 10.1.0.0/16, or an interface "
                   "such as eth1; empty takes the fastest one that connects all of them",
           .onlyIfSet = true});
    field("ports", &LaunchSpec::ports,
          {.label = "Ports",
           .help = "TCP ports that a firewall leaves open between the hosts, such as 20000-20063; MPI needs "
                   "one more on a host than the run has ranks there; empty allows any",
           .pattern = "^([0-9]+-[0-9]+)?$",
           .onlyIfSet = true});
    field("slurm", &LaunchSpec::slurm, {.help = "Options for sbatch; only with launch.launcher \"slurm\""});
    field("restart", &LaunchSpec::restart,
          {.help = "Automatic restarts from the last checkpoint when ranks or hosts are lost"});
}

} // namespace trainyard
