#pragma once

#include "engine/spec/field_info.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

template <typename Visitor>
void describe(Visitor& field, Of<EvaluationSpec>)
{
    field("every_steps", &EvaluationSpec::everySteps,
          {.label = "Evaluate every",
           .help =
               "Steps between evaluations, with one after the last step; 0 evaluates as often as 2 % of the "
               "run's time allows",
           .range = atLeast(0),
           .unit = "steps",
           .zero = "Auto"});
    field("batches", &EvaluationSpec::batches,
          {.label = "Batches evaluated",
           .help = "Global batches of test rows per evaluation, fewer in a short run without "
                   "evaluation.every_steps; 0 disables evaluation",
           .range = atLeast(0),
           .unit = "batches",
           .zero = "Off"});
    field("dataset", &EvaluationSpec::dataset,
          {.label = "Evaluation data set",
           .help = "Folder of the data set whose test rows are evaluated; empty selects dataset.path",
           .pattern = "^(/|$)"});
    field("metric", &EvaluationSpec::metric,
          {.label = "Evaluation metric",
           .help =
               "Decides which evaluation is best: the lowest loss, or the highest accuracy of the masked or "
               "next tokens, or of a task's rows, tags or answers"});
    field("target", &EvaluationSpec::target,
          {.label = "Evaluation target",
           .help = "Ends the run when the metric reaches this value; 0 sets no target",
           .range = atLeast(0),
           .source = "Mattson et al., arXiv:1910.01500, on time to train"});
    field("patience", &EvaluationSpec::patience,
          {.label = "Patience",
           .help = "Ends the run after this many evaluations in a row without improvement; 0 disables this",
           .range = atLeast(0),
           .unit = "evaluations",
           .zero = "Off"});
    field("keep_best", &EvaluationSpec::keepBest,
          {.label = "Keep the best one",
           .help = "Saves a checkpoint after each evaluation that is the best so far, and keeps it"});
}

} // namespace trainyard
