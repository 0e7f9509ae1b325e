#include "engine/planner/calibration/refined_node.h"

#include <cmath>

#include <fmt/format.h>

#include "engine/planner/calibration/calibration.h"
#include "engine/planner/time/step_model.h"

namespace trainyard {

namespace {

Result<std::vector<StepModel>> modelsOf(const NodeModel& node, const std::vector<MeasuredRow>& steps)
{
    std::vector<StepModel> models;
    for (const MeasuredRow& step : steps) {
        NodeModel there = node;
        there.devices = step.spec.cluster.nodes.front().slotCount;
        auto model = StepModel::create(step.spec, step.shape, there);
        if (!model.ok())
            return model.error().in(fmt::format("run {}", models.size() + 1));
        models.push_back(std::move(*model));
    }
    return models;
}

double bandOf(const std::vector<MeasuredStep>& steps, const TimeCoefficients& coefficients)
{
    double squares = kUnseenSteps * kModelError * kModelError;
    for (const MeasuredStep& step : steps) {
        const double error = std::log(step.model->estimate(coefficients).seconds / step.seconds);
        squares += error * error;
    }
    return std::sqrt(squares / (kUnseenSteps + static_cast<double>(steps.size())));
}

} // namespace

Result<NodeModel> refinedNode(NodeModel node, const std::vector<MeasuredRow>& rows, const std::string& date)
{
    TRAINYARD_TRY(const std::vector<StepModel> models, modelsOf(node, rows));
    std::vector<MeasuredStep> steps;
    for (std::size_t i = 0; i < rows.size(); ++i)
        steps.push_back({&models[i], rows[i].seconds});
    NodeCalibration calibration = node.calibration.value_or(NodeCalibration());
    calibration.date = date;
    calibration.measuredRuns = static_cast<int>(rows.size());
    calibration.coefficients = calibrate(steps);
    calibration.errorBand = bandOf(steps, calibration.coefficients);
    node.calibration = std::move(calibration);
    return node;
}

} // namespace trainyard
