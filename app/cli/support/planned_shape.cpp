#include "app/cli/support/planned_shape.h"

#include <algorithm>
#include <iterator>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/cli/support/problem_output.h"
#include "app/plan/planned_run.h"
#include "engine/spec/data_set_rules.h"
#include "engine/spec/limits.h"

namespace trainyard {

void addShapeOptions(CLI::App& command, ShapeInput& input)
{
    command
        .add_option("--seq-len", input.length,
                    "Tokens per sequence (default: the data set's, else the model's positions)")
        ->check(CLI::Range(1, kMaxEntries));
    command
        .add_option("--max-pred", input.maxPredictions,
                    "Masked positions per sequence (default: the data set's, else 15 % of the tokens)")
        ->check(CLI::Range(1, kMaxEntries));
    command.add_option("--phase", input.phase, "Only this phase of the specification, from 1")
        ->check(CLI::Range(1, kMaxPhases));
}

SequenceShape shapeFor(const ModelSpec& model, const ShapeInput& input, const Result<DataSetManifest>& data)
{
    const bool asData = data.ok() && input.length.value_or(data->sequenceLength) == data->sequenceLength;
    SequenceShape shape = asData ? SequenceShape{data->sequenceLength, data->maxPredictions}
                                 : sequencesOf(input.length.value_or(model.maxPositions));
    shape.maxPredictions = input.maxPredictions.value_or(shape.maxPredictions);
    return shape;
}

Diagnostics shapeProblems(const ModelSpec& model, const ShapeInput& input, const SequenceShape& shape)
{
    Diagnostics problems;
    if (input.length && shape.length > model.maxPositions)
        problems.push_back(
            {"model.max_positions",
             fmt::format("the model has {} positions, and --seq-len wants {}", model.maxPositions,
                         shape.length),
             fmt::format("set model.max_positions to at least {}, or give --seq-len at most {}", shape.length,
                         model.maxPositions),
             ErrorKind::BadInput,
             fmt::format("max_positions {} < tokens {}", model.maxPositions, shape.length)});
    if (input.maxPredictions && shape.maxPredictions > shape.length)
        problems.push_back(
            {"--max-pred",
             fmt::format("{} of {} tokens cannot be masked", shape.maxPredictions, shape.length),
             fmt::format("give at most {}", shape.length)});
    return problems;
}

ShapedSpec readShapedSpec(const std::string& file, const ShapeInput& input, bool json, SpecUse use)
{
    auto [spec, status] = readSpecInput(file, json, use, input.phase.value_or(1));
    if (status != 0)
        return {{}, {}, status};
    const SequenceShape shape =
        shapeFor(spec.model, input, readDataSetManifest(QString::fromStdString(spec.dataset.first())));
    Diagnostics problems = shapeProblems(spec.model, input, shape);
    std::ranges::move(sharingProblems(completedFor(use, spec), shape.length), std::back_inserter(problems));
    return {std::move(spec), shape, problems.empty() ? 0 : failForProblems(file, problems, json)};
}

QString shapeText(const ModelSpec& model, const SequenceShape& shape)
{
    const QString text = QString("sequences of %1 tokens").arg(shape.length);
    const bool masks = !model.isDecoder() && !model.task.isOn();
    return masks ? text + QString(", %1 of them masked").arg(shape.maxPredictions) : text;
}

QJsonObject toJson(const SequenceShape& shape)
{
    return {{"tokens", shape.length}, {"masked", shape.maxPredictions}};
}

} // namespace trainyard
