#include "engine/checkpoint/hugging_face/stored_model.h"

#include <fmt/format.h>

#include "engine/checkpoint/training_state.h"
#include "engine/checkpoint/weights/adapter_config.h"
#include "engine/checkpoint/weights/weight_comparison.h"
#include "engine/nn/language_model.h"
#include "engine/spec/phases/phases.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

/// A model of the description that the weights have of themselves.
Status loadWhole(WeightSource& weights, ParameterStore& parameters)
{
    RunSpec spec;
    spec.model = weights.description().model;
    const WeightComparison comparison = compareWeights(weights.description(), spec);
    if (!comparison.problems.empty())
        return toError(comparison.problems);
    if (!comparison.drawn.empty())
        return badInput(fmt::format("{} have no tensor {}", comparison.origin, comparison.drawn.front().name),
                        "give adapters and a base that are complete, or merged weights");
    TRAINYARD_TRY_STATUS(weights.checkContent());
    return TrainingState(parameters).begin(weights, comparison);
}

} // namespace

StoredModel::StoredModel(fs::path folder, std::string remark, Weights weights)
    : m_folder(std::move(folder)), m_remark(std::move(remark)), m_weights(std::move(weights))
{
}

Result<StoredModel> StoredModel::open(const fs::path& path, const CheckpointWish& wish)
{
    std::error_code ignored;
    if (fs::exists(path, ignored) && !fs::is_directory(path, ignored))
        return badInput(path.string() + " is not a folder",
                        "give a run, a checkpoint, or a folder with config.json and model.safetensors");
    TRAINYARD_TRY(const FoundWeights found, findWeights(path, wish));
    if (isAdapterFolder(found.folder)) {
        TRAINYARD_TRY(Adapters adapters, openWeights(found.folder));
        return StoredModel(found.folder, {}, std::move(adapters));
    }
    if (fs::exists(found.folder / kConfigName, ignored)) {
        TRAINYARD_TRY(HuggingFaceModel model, HuggingFaceModel::open(found.folder));
        return StoredModel(found.folder, {}, std::move(model));
    }
    TRAINYARD_TRY(CheckpointReader reader, CheckpointReader::open(found.folder));
    return StoredModel(found.folder, found.remark, std::move(reader));
}

const TrainingPosition* StoredModel::position() const
{
    const auto* reader = std::get_if<CheckpointReader>(&m_weights);
    return reader ? &reader->manifest().position : nullptr;
}

const RunSpec* StoredModel::run() const
{
    const TrainingPosition* written = position();
    return written ? &written->spec : nullptr;
}

std::optional<RunSpec> StoredModel::phase() const
{
    const TrainingPosition* written = position();
    return written ? std::optional(specOfStep(written->spec, written->step.value)) : std::nullopt;
}

const ModelSpec& StoredModel::spec() const
{
    if (const auto* adapters = std::get_if<Adapters>(&m_weights))
        return (*adapters)->description().model;
    const RunSpec* wrote = run();
    return wrote ? wrote->model : std::get<HuggingFaceModel>(m_weights).spec();
}

std::string StoredModel::dataSet() const
{
    const auto wrote = phase();
    return wrote ? wrote->dataset.first() : std::string();
}

std::vector<std::int64_t> StoredModel::endTokens() const
{
    const auto* imported = std::get_if<HuggingFaceModel>(&m_weights);
    return imported ? imported->endTokens() : std::vector<std::int64_t>();
}

std::vector<std::string> StoredModel::labels() const
{
    const auto* imported = std::get_if<HuggingFaceModel>(&m_weights);
    return imported ? imported->labels() : std::vector<std::string>();
}

Result<std::unique_ptr<LanguageModel>> StoredModel::load(ComputeType precision, const Device& device)
{
    auto model = std::make_unique<LanguageModel>(spec(), precision, directRunner(), device);
    if (const auto* imported = std::get_if<HuggingFaceModel>(&m_weights)) {
        TRAINYARD_TRY_STATUS(imported->load(model->parameters()));
        return model;
    }
    if (const auto* adapters = std::get_if<Adapters>(&m_weights)) {
        TRAINYARD_TRY_STATUS(loadWhole(**adapters, model->parameters()));
        return model;
    }
    TRAINYARD_TRY_STATUS(TrainingState(model->parameters()).load(std::get<CheckpointReader>(m_weights)));
    return model;
}

} // namespace trainyard
