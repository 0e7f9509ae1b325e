#include "engine/training/data/training_data.h"

#include <fmt/format.h>

namespace trainyard {

namespace {

/// Blocks beyond one window, so that the steps around its end do not read it twice.
constexpr std::size_t kSpareBlocks = 16;

Status fitsModel(const Manifest& manifest, const ModelSpec& model)
{
    if (manifest.vocabularySize > model.vocabulary)
        return badInput(fmt::format("model.vocabulary is {}, and the data set has {} entries",
                                    model.vocabulary, manifest.vocabularySize),
                        fmt::format("set model.vocabulary to {}", manifest.vocabularySize));
    if (manifest.sequenceLength > model.maxPositions)
        return badInput(fmt::format("model.max_positions is {}, and the data set's rows have {} tokens",
                                    model.maxPositions, manifest.sequenceLength),
                        fmt::format("set model.max_positions to at least {}", manifest.sequenceLength));
    return {};
}

} // namespace

Result<TrainingData> TrainingData::open(const RunSpec& spec)
{
    const SampleOrder::Shape shape;
    TRAINYARD_TRY(Manifest manifest, Manifest::load(spec.dataset.path));
    TRAINYARD_TRY_STATUS(fitsModel(manifest, spec.model));
    TRAINYARD_TRY(RowSource rows, RowSource::open(spec.dataset.path, manifest, shape.rowsPerBlock,
                                                  shape.blocksPerWindow + kSpareBlocks));
    return TrainingData{std::move(manifest), std::move(rows)};
}

std::unique_ptr<StepLoader> startLoading(TrainingData data, const RunSpec& spec,
                                         StepLoader::Position position)
{
    const SampleOrder order(data.rows.rows(), spec.seed);
    return std::make_unique<StepLoader>(std::move(data.rows), order, spec, position);
}

} // namespace trainyard
