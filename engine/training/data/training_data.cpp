#include "engine/training/data/training_data.h"

#include "engine/spec/data_set_rules.h"

namespace trainyard {

namespace {

/// Cached blocks in addition to one window, so that steps around its end do not read blocks twice.
constexpr std::size_t kSpareBlocks = 16;

Status fitsModel(const Manifest& manifest, const RunSpec& spec)
{
    const Diagnostics problems = dataSetProblems(spec, dataSetShape(manifest));
    return problems.empty() ? Status() : toError(problems);
}

} // namespace

DataSetShape dataSetShape(const Manifest& manifest)
{
    return {manifest.vocabularySize,     manifest.sequenceLength,
            manifest.trainingRows(),     {},
            manifest.settings.objective, manifest.settings.nextSentence,
            manifest.testRows(),         static_cast<int>(manifest.task.labels.size())};
}

Result<TrainingData> TrainingData::open(const RunSpec& spec)
{
    const SampleOrder::Shape shape;
    TRAINYARD_TRY(Manifest manifest, Manifest::load(spec.dataset.path));
    TRAINYARD_TRY_STATUS(fitsModel(manifest, spec));
    TRAINYARD_TRY(RowSource rows, RowSource::open(spec.dataset.path, manifest, shape.rowsPerBlock,
                                                  shape.blocksPerWindow + kSpareBlocks));
    TRAINYARD_TRY(auto heldOut, HeldOutRows::open(spec, manifest));
    return TrainingData{std::move(manifest), std::move(rows), std::move(heldOut)};
}

std::unique_ptr<StepLoader> startLoading(TrainingData data, const RunSpec& spec,
                                         StepLoader::Position position)
{
    const SampleOrder order(data.rows.rows(), spec.seed);
    return std::make_unique<StepLoader>(std::move(data.rows), order, spec, position);
}

} // namespace trainyard
