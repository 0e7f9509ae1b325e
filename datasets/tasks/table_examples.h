#pragma once

#include "datasets/options/task_options.h"
#include "datasets/tasks/task_example.h"

namespace trainyard {

/// Adds the rows of a table to `examples`: of classify, regress and complete. Columns are those of `options`,
/// or the usual ones: GLUE's of each of its tasks, "text" and "label", "prompt" and "completion". BadInput
/// names the file and the missing or doubled column, or line and column of an empty text or label, or of a
/// label that is no number where one is needed.
Status readTableExamples(const std::filesystem::path& file, const TaskOptions& options,
                         TaskExamples& examples);

} // namespace trainyard
