#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/checkpoint/format/checkpoint_reader.h"
#include "engine/checkpoint/hugging_face/hugging_face_model.h"
#include "engine/checkpoint/weights/find_weights.h"
#include "engine/checkpoint/weights/weight_source.h"
#include "engine/nn/device.h"

namespace trainyard {

class LanguageModel;

/// A trained model in the files of a disk: Hugging Face's, PEFT's adapters over their base, or a checkpoint
/// of whatever layout.
class StoredModel {
public:
    /// `path` and `wish`: see findWeights(). Reads no weights. Errors of findWeights(),
    /// HuggingFaceModel::open(), AdapterWeights::open() and CheckpointReader::open().
    static Result<StoredModel> open(const std::filesystem::path& path, const CheckpointWish& wish = {});

    const ModelSpec& spec() const;
    /// Where the run stood that wrote the checkpoint; null for a folder of Hugging Face's.
    const TrainingPosition* position() const;
    /// The specification of that run; null for a folder of Hugging Face's.
    const RunSpec* run() const;
    /// What that run was when it wrote the checkpoint: see specOfStep(). nullopt for a folder of Hugging
    /// Face's.
    std::optional<RunSpec> phase() const;
    /// With the weights: Hugging Face's, or one `step-...`.
    const std::filesystem::path& folder() const { return m_folder; }
    /// See FoundWeights::remark.
    const std::string& remark() const { return m_remark; }
    /// The data set that the checkpoint's run was trained on last; empty for a folder of Hugging Face's.
    std::string dataSet() const;
    /// eos_token_id of a folder of Hugging Face's; empty where there is none, and for checkpoints.
    std::vector<std::int64_t> endTokens() const;
    /// See HuggingFaceFolder::labels(); empty for checkpoints, whose data set has the names.
    std::vector<std::string> labels() const;

    /// With the weights.
    Result<std::unique_ptr<LanguageModel>> load(ComputeType precision, const Device& device = {});

private:
    using Adapters = std::unique_ptr<WeightSource>; ///< with their base
    using Weights = std::variant<HuggingFaceModel, Adapters, CheckpointReader>;
    StoredModel(std::filesystem::path folder, std::string remark, Weights weights);

    std::filesystem::path m_folder;
    std::string m_remark;
    Weights m_weights;
};

} // namespace trainyard
