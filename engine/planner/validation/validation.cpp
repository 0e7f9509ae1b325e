#include "engine/planner/validation/validation.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <tuple>

#include <fmt/format.h>

#include "engine/planner/calibration/calibration.h"
#include "engine/planner/time/step_model.h"

namespace trainyard {

namespace {

using Indices = std::vector<std::size_t>;

struct Prediction {
    double predicted;
    double measured;
};

Result<std::vector<StepModel>> modelsOf(const std::vector<MeasuredRow>& rows, const NodeModel& node,
                                        const ProgramTraits& program)
{
    std::vector<StepModel> models;
    for (const MeasuredRow& row : rows) {
        auto model = StepModel::create(row.spec, row.shape, node, program);
        if (!model.ok())
            return model.error().in(fmt::format("line {}", row.line));
        models.push_back(std::move(*model));
    }
    return models;
}

/// Fisher and Yates, so that a seed draws the same rows everywhere.
Indices shuffled(std::size_t count, std::uint64_t seed)
{
    Indices indices(count);
    std::iota(indices.begin(), indices.end(), std::size_t{0});
    std::mt19937_64 random(seed);
    for (std::size_t i = count; i > 1; --i)
        std::swap(indices[i - 1], indices[random() % i]);
    return indices;
}

/// Rows that offer a choice of layout have the same key.
auto choiceOf(const RunSpec& spec)
{
    const ModelSpec& m = spec.model;
    return std::tuple(spec.layout.worldSize(), spec.batch.global, m.hidden, m.layers, m.heads,
                      m.maxPositions);
}

double regretOf(const std::vector<Prediction>& choices)
{
    const auto chosen = std::min_element(choices.begin(), choices.end(), [](const auto& a, const auto& b) {
        return a.predicted < b.predicted;
    });
    const auto best = std::min_element(choices.begin(), choices.end(),
                                       [](const auto& a, const auto& b) { return a.measured < b.measured; });
    return chosen->measured / best->measured - 1;
}

ValidationScore scoreOf(const std::vector<MeasuredRow>& rows, const std::vector<StepModel>& models,
                        const Indices& scored, const TimeCoefficients& coefficients)
{
    ValidationScore score{0, 0, scored.size(), 0};
    std::map<decltype(choiceOf(rows.front().spec)), std::vector<Prediction>> choices;
    for (const std::size_t i : scored) {
        const double predicted = models[i].estimate(coefficients).seconds;
        score.meanError += std::abs(predicted / rows[i].seconds - 1) / static_cast<double>(scored.size());
        choices[choiceOf(rows[i].spec)].push_back({predicted, rows[i].seconds});
    }
    for (const auto& [key, group] : choices) {
        if (group.size() < 2)
            continue;
        score.meanRegret += regretOf(group);
        ++score.groups;
    }
    score.meanRegret /= static_cast<double>(std::max<std::size_t>(1, score.groups));
    return score;
}

} // namespace

Result<ValidationReport> validateRows(const std::vector<MeasuredRow>& rows, const NodeModel& node,
                                      const ValidationOptions& options)
{
    if (options.calibrate >= rows.size())
        return badInput(
            fmt::format("calibrating on {} of {} rows leaves none to score", options.calibrate, rows.size()),
            "calibrate with fewer rows");
    TRAINYARD_TRY(const std::vector<StepModel> models, modelsOf(rows, node, options.program));
    const Indices order = shuffled(rows.size(), options.seed);
    const Indices rest(order.begin() + static_cast<std::ptrdiff_t>(options.calibrate), order.end());
    ValidationReport report;
    report.uncalibrated = scoreOf(rows, models, rest, {});
    if (options.calibrate == 0)
        return report;
    std::vector<MeasuredStep> steps;
    for (std::size_t i = 0; i < options.calibrate; ++i)
        steps.push_back({&models[order[i]], rows[order[i]].seconds});
    report.coefficients = calibrate(steps);
    report.calibrated = scoreOf(rows, models, rest, report.coefficients);
    return report;
}

} // namespace trainyard
