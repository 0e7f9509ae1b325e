#include "app/plan/planned_weights.h"

#include <QDir>
#include <QJsonArray>

#include "remote/launch/weights_upload.h"

namespace trainyard {

namespace {

QJsonArray toJson(const std::vector<std::int64_t>& shape)
{
    QJsonArray extents;
    for (const std::int64_t extent : shape)
        extents << qint64(extent);
    return extents;
}

QJsonArray toJson(const std::vector<WeightComparison::Apart>& tensors)
{
    QJsonArray list;
    for (const WeightComparison::Apart& tensor : tensors)
        list << QJsonObject{{"name", QString::fromStdString(tensor.name)}, {"shape", toJson(tensor.shape)}};
    return list;
}

QJsonArray resizedToJson(const std::vector<WeightComparison::Loaded>& tensors)
{
    QJsonArray list;
    for (const WeightComparison::Loaded& tensor : tensors) {
        if (tensor.shape != tensor.stored)
            list << QJsonObject{{"name", QString::fromStdString(tensor.name)},
                                {"shape", toJson(tensor.shape)},
                                {"stored", toJson(tensor.stored)}};
    }
    return list;
}

} // namespace

Result<std::optional<WeightComparison>> compareWeightsHere(const RunSpec& spec)
{
    TRAINYARD_TRY(const std::unique_ptr<WeightSource> source, openWeightsHere(spec.init));
    if (!source)
        return std::optional<WeightComparison>();
    return std::optional(compareWeights(source->description(), spec));
}

QList<QStringList> weightRows(const InitSpec& init, const std::optional<WeightComparison>& weights)
{
    if (!init.isOn())
        return {};
    const QString path = QString::fromStdString(init.path);
    if (!weights)
        return {{"begins with", (QDir::isAbsolutePath(path) ? path : "the run " + path) +
                                    ", which is not on this computer; launch looks at it on the host"}};
    QList<QStringList> rows{{"begins with", QString::fromStdString(weights->origin)}};
    for (const auto& [label, text] : weights->facts())
        rows << QStringList{QString::fromStdString(label), QString::fromStdString(text)};
    return rows;
}

QJsonObject toJson(const WeightComparison& weights)
{
    return {{"origin", QString::fromStdString(weights.origin)},
            {"loaded_tensors", qint64(weights.loadedWeights())},
            {"loaded_parameters", qint64(weights.loadedParameters())},
            {"loads_optimizer", weights.loadsOptimizer},
            {"resized", resizedToJson(weights.loaded)},
            {"random", toJson(weights.drawn)},
            {"left_over", toJson(weights.left)},
            {"leaves_optimizer", weights.leavesOptimizer}};
}

} // namespace trainyard
