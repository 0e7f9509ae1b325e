#pragma once

#include "engine/spec/evaluation_fields.h"
#include "engine/spec/init_fields.h"
#include "engine/spec/launch_fields.h"
#include "engine/spec/layout_fields.h"
#include "engine/spec/lora_fields.h"
#include "engine/spec/model_fields.h"
#include "engine/spec/phases/phase_fields.h"
#include "engine/spec/task_fields.h"
#include "engine/spec/training_fields.h"

namespace trainyard {

template <typename Visitor>
void describe(Visitor& field, Of<RunSpec>)
{
    field("name", &RunSpec::name,
          {.label = "Name",
           .help = "Becomes part of the run's id: letters, digits, '.', '_' and '-'",
           .pattern = "^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$"});
    field("seed", &RunSpec::seed,
          {.label = "Seed",
           .help = "Determines initial weights, dropout and data order, the same in every layout",
           .range = atLeast(0)});
    field("model", &RunSpec::model, {.help = "Shape of the transformer"});
    field("task", MemberOfMember{&RunSpec::model, &ModelSpec::task},
          {.help = "Task to fine-tune for; decides the model's output layers"});
    field("lora", MemberOfMember{&RunSpec::model, &ModelSpec::lora},
          {.help = "Low-rank adapters that are trained in place of the frozen model", .optional = true});
    field("cluster", &RunSpec::cluster, {.help = "Machines of the run"});
    field("layout", &RunSpec::layout, {.help = "How ranks share the work"});
    field("batch", &RunSpec::batch, {.help = "Batch sizes, in sequences"});
    field("optimizer", &RunSpec::optimizer, {.help = "Optimizer and learning-rate schedule"});
    field("precision", &RunSpec::precision, {.help = "Number formats"});
    field("memory", &RunSpec::memory, {.help = "Memory savings"});
    field("dataset", &RunSpec::dataset, {.help = "Training data"});
    field("init", &RunSpec::init, {.help = "Weights that the run begins with"});
    field("evaluation", &RunSpec::evaluation, {.help = "Evaluation on held-out rows while training"});
    field("checkpoint", &RunSpec::checkpoint, {.help = "When checkpoints are written and kept"});
    field("launch", &RunSpec::launch, {.help = "How the run is started, stopped and restarted"});
    field("phases", &RunSpec::phases,
          {.help = "Phases of the run, one after another; what a phase leaves out is the run's. "
                   "launch.steps is the sum of their steps",
           .optional = true});
}

} // namespace trainyard
