#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/checkpoint/format/safetensors.h"
#include "engine/checkpoint/hugging_face/architecture.h"

namespace trainyard {

class ParameterStore;

inline constexpr const char* kConfigName = "config.json";
inline constexpr const char* kWeightsName = "model.safetensors";
inline constexpr const char* kWeightsIndexName = "model.safetensors.index.json";

/// A model in a folder as Hugging Face saves it: config.json beside model.safetensors, or beside the shards
/// that model.safetensors.index.json lists. BertForPreTraining, BertForMaskedLM or GPT2LMHeadModel.
class HuggingFaceModel {
public:
    /// Reads the configuration and the headers of the weight files. BadInput for another model type, an
    /// option that this engine does not compute the same way, or an index that does not fit its files.
    static Result<HuggingFaceModel> open(const std::filesystem::path& folder);

    const ModelSpec& spec() const { return m_spec; }

    /// Fills the master weights of a whole model of spec(), converted to their type. BadInput naming the
    /// tensor that is missing, unknown, of another shape, or a copy that differs from what it is tied to.
    Status load(ParameterStore& parameters) const;

private:
    explicit HuggingFaceModel(std::filesystem::path folder) : m_folder(std::move(folder)) {}
    Status openWeights();
    Status openShards(const std::filesystem::path& index);
    Status openFile(const std::filesystem::path& file);
    Status readConfig();
    TensorNames names() const;

    std::filesystem::path m_folder;
    std::vector<SafetensorsFile> m_files;
    std::map<std::string, TensorBytes> m_tensors; // views of the files
    const Architecture* m_architecture = nullptr;
    ModelSpec m_spec;
};

} // namespace trainyard
