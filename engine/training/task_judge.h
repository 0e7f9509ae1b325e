#pragma once

#include <optional>
#include <span>
#include <vector>

#include "engine/base/result.h"
#include "engine/records/task_metrics.h"
#include "engine/spec/run_spec.h"
#include "engine/training/data/held_out_rows.h"
#include "engine/training/held_out_labels.h"

namespace trainyard {

/// Compares the predictions of a task's head with the labels of the test rows, as the official scripts do
/// (datasets/metrics). A tag counts by its word, an answer by its question, whose rows compete: the best span
/// of all, or where some questions have no answer also that the text has none, if every row says so. One
/// thread.
class TaskJudge {
public:
    explicit TaskJudge(const TaskSpec& task) : m_task(task) {}

    /// `rows`: always the same. `predictions`: taskPredictions() of the rows of an evaluation, row-major.
    /// BadInput names the file that cannot be read or does not belong to the rows.
    Result<TaskMetrics> judge(HeldOutRows& rows, std::span<const double> predictions);

private:
    Result<const HeldOutLabels*> labelsOf(HeldOutRows& rows);
    Result<TaskMetrics> judgeClasses(HeldOutRows& rows, std::span<const double> predictions);
    Result<TaskMetrics> judgeNumbers(HeldOutRows& rows, std::span<const double> predictions);
    Result<TaskMetrics> judgeTags(HeldOutRows& rows, std::span<const double> predictions);
    Result<TaskMetrics> judgeAnswers(HeldOutRows& rows, std::span<const double> predictions);

    const TaskSpec m_task;
    std::optional<HeldOutLabels> m_labels; // read for the first evaluation
};

} // namespace trainyard
