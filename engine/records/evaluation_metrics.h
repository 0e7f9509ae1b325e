#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "engine/records/record.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// The figures of an evaluation beside its loss, named as files and commands name them. Of an encoder
/// mlm_loss, mlm_accuracy, and with the head nsp_loss, nsp_accuracy; of a decoder perplexity, accuracy (of
/// the next token), and where the bytes are known bits_per_byte. Of a task's head accuracy (classify and
/// tag), and what TaskMetrics has: exact_match, f1, matthews, pearson, spearman.
std::vector<std::pair<std::string_view, double>> metricsOf(const EvaluationRecord& record,
                                                           ModelFamily family);

/// The figure that evaluation.metric names.
double metricOf(const EvaluationRecord& record, EvaluationMetric metric);
bool isBetter(double value, double than, EvaluationMetric metric);
/// What is not finite reaches nothing.
bool reaches(double value, double target, EvaluationMetric metric);

} // namespace trainyard
