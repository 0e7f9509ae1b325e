#include "engine/training/data/training_data.h"

#include "engine/base/check.h"
#include "engine/base/hash.h"
#include "engine/spec/phases/data_mix_rules.h"

namespace trainyard {

namespace {

/// Cached blocks in addition to one window, so that steps around its end do not read blocks twice.
constexpr std::size_t kSpareBlocks = 16;

Result<std::vector<Manifest>> loadManifests(const RunSpec& spec)
{
    std::vector<Manifest> manifests;
    for (const MixedDataSet& set : spec.dataset.sets()) {
        TRAINYARD_TRY(Manifest manifest, Manifest::load(set.path));
        manifests.push_back(std::move(manifest));
    }
    return manifests;
}

Status fitModel(const std::vector<Manifest>& manifests, const RunSpec& spec)
{
    std::vector<DataSetShape> shapes;
    for (const Manifest& manifest : manifests)
        shapes.push_back(dataSetShape(manifest));
    const Diagnostics problems = mixProblems(spec, shapes);
    return problems.empty() ? Status() : toError(problems);
}

Result<std::vector<RowSource>> openRows(const RunSpec& spec, const std::vector<Manifest>& manifests)
{
    const SampleOrder::Shape shape;
    const std::vector<MixedDataSet> sets = spec.dataset.sets();
    std::vector<RowSource> all;
    for (std::size_t set = 0; set < sets.size(); ++set) {
        TRAINYARD_TRY(RowSource rows, RowSource::open(sets[set].path, manifests[set], shape.rowsPerBlock,
                                                      shape.blocksPerWindow + kSpareBlocks));
        all.push_back(std::move(rows));
    }
    return all;
}

} // namespace

DataSetShape dataSetShape(const Manifest& manifest)
{
    return {manifest.vocabularySize,     manifest.sequenceLength,
            manifest.trainingRows(),     {},
            manifest.settings.objective, manifest.settings.nextSentence,
            manifest.testRows(),         static_cast<int>(manifest.task.labels.size()),
            manifest.maxPredictions,     manifest.vocabularySha256};
}

Result<TrainingData> TrainingData::open(const RunSpec& spec)
{
    TRAINYARD_TRY(std::vector<Manifest> manifests, loadManifests(spec));
    TRAINYARD_TRY_STATUS(fitModel(manifests, spec));
    TRAINYARD_TRY(std::vector<RowSource> rows, openRows(spec, manifests));
    TRAINYARD_TRY(auto heldOut, HeldOutRows::open(spec, manifests));
    return TrainingData{std::move(manifests), std::move(rows), std::move(heldOut)};
}

std::uint64_t TrainingData::trainingRows() const
{
    std::uint64_t all = 0;
    for (const Manifest& manifest : manifests)
        all += manifest.trainingRows();
    return all;
}

std::string TrainingData::hash() const
{
    std::string all;
    for (const Manifest& manifest : manifests)
        all += manifest.toJson();
    return sha256Hex(all);
}

std::unique_ptr<StepLoader> startLoading(TrainingData data, const RunSpec& spec,
                                         StepLoader::Position position,
                                         const std::vector<std::uint64_t>& takenBefore)
{
    TRAINYARD_CHECK(!takenBefore.empty() || position.firstSample == 0);
    std::vector<MixedRows::Part> parts;
    for (RowSource& rows : data.rows) {
        const SampleOrder order(rows.rows(), spec.seed);
        const std::uint64_t taken = takenBefore.empty() ? 0 : takenBefore[parts.size()];
        parts.push_back({std::move(rows), order, taken});
    }
    MixedRows rows(std::move(parts), DataMix(spec.dataset), position.firstSample);
    return std::make_unique<StepLoader>(std::move(rows), spec, position);
}

} // namespace trainyard
