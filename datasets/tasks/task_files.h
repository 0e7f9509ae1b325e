#pragma once

#include "datasets/options/prepare_options.h"
#include "datasets/tasks/task_example.h"

namespace trainyard {

/// The examples of a data set.
struct SplitExamples {
    TaskExamples training;
    TaskExamples heldOut;
};

/// Reads the files of a preparation with a task. A folder stands for the files of one of GLUE's tasks in it:
/// train.tsv, and dev.tsv or dev_matched.tsv as test rows. Without files of test rows a share of the examples
/// is held out, chosen by the seed; questions about one context stay together.
Result<SplitExamples> readTaskFiles(const PrepareOptions& options);

} // namespace trainyard
