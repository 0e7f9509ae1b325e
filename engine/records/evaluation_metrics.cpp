#include "engine/records/evaluation_metrics.h"

#include <cmath>

namespace trainyard {

namespace {

std::vector<std::pair<std::string_view, double>> metricsOfTask(const EvaluationRecord& record)
{
    const TaskMetrics& task = record.task;
    std::vector<std::pair<std::string_view, double>> metrics;
    if (task.kind == TaskKind::Classify || task.kind == TaskKind::Tag)
        metrics.emplace_back("accuracy", record.tokenAccuracy);
    const auto add = [&](std::string_view name, const std::optional<double>& value) {
        if (value)
            metrics.emplace_back(name, *value);
    };
    add("exact_match", task.exactMatch);
    add("f1", task.f1);
    add("matthews", task.matthews);
    add("pearson", task.pearson);
    add("spearman", task.spearman);
    return metrics;
}

} // namespace

std::vector<std::pair<std::string_view, double>> metricsOf(const EvaluationRecord& record, ModelFamily family)
{
    if (record.task.isOn())
        return metricsOfTask(record);
    std::vector<std::pair<std::string_view, double>> metrics;
    if (!isDecoder(family)) {
        metrics = {{"mlm_loss", record.tokenLoss}, {"mlm_accuracy", record.tokenAccuracy}};
        if (record.sequenceAccuracy) {
            metrics.emplace_back("nsp_loss", record.sequenceLoss);
            metrics.emplace_back("nsp_accuracy", *record.sequenceAccuracy);
        }
        return metrics;
    }
    metrics = {{"perplexity", std::exp(record.tokenLoss)}, {"accuracy", record.tokenAccuracy}};
    if (record.bitsPerByte)
        metrics.emplace_back("bits_per_byte", *record.bitsPerByte);
    return metrics;
}

double metricOf(const EvaluationRecord& record, EvaluationMetric metric)
{
    return metric == EvaluationMetric::Accuracy ? record.tokenAccuracy : record.loss;
}

bool isBetter(double value, double than, EvaluationMetric metric)
{
    return metric == EvaluationMetric::Accuracy ? value > than : value < than;
}

bool reaches(double value, double target, EvaluationMetric metric)
{
    return std::isfinite(value) && !isBetter(target, value, metric);
}

} // namespace trainyard
