#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/checkpoint/format/safetensors.h"
#include "engine/checkpoint/hugging_face/format/architecture.h"

namespace trainyard {

inline constexpr const char* kConfigName = "config.json";
inline constexpr const char* kWeightsName = "model.safetensors";
inline constexpr const char* kWeightsIndexName = "model.safetensors.index.json";

/// A model in a folder as Hugging Face saves it: config.json beside model.safetensors, or beside the shards
/// that model.safetensors.index.json lists. BertForPreTraining, BertForMaskedLM, BERT's classes for tasks
/// (sequence and token classification, question answering), GPT2LMHeadModel, or the class of a family's table
/// (engine/spec/families). Its values are read when they are touched.
class HuggingFaceFolder {
public:
    /// Reads the configuration and the headers of the weight files. BadInput for another model type, an
    /// option that this engine does not compute the same way, or an index that does not fit its files.
    static Result<HuggingFaceFolder> open(const std::filesystem::path& folder);

    const std::filesystem::path& path() const { return m_folder; }
    const ModelSpec& spec() const { return m_spec; }
    /// eos_token_id of config.json: a number, several, or none.
    const std::vector<std::int64_t>& endTokens() const { return m_endTokens; }
    /// Names of the labels of a task by their numbers, as id2label of config.json has them; Hugging Face's
    /// LABEL_0 ... for those without. Empty for models without labels.
    const std::vector<std::string>& labels() const { return m_labels; }
    const Architecture& architecture() const { return *m_architecture; }
    /// By their names in the files, with experts' matrices behind each other; views as long as this object or
    /// a copy of it lives.
    const std::map<std::string, TensorBytes>& tensors() const { return m_tensors; }
    /// The type of all weights; float32 where they have several.
    ComputeType storedType() const;
    TensorRole roleOf(const std::string& name) const;
    /// Of a model with experts: its files have all of a layer's in one tensor.
    bool fusesExperts() const;
    /// What open() reads: the configuration, the index if there are several, the weights.
    std::vector<std::filesystem::path> files() const;

private:
    explicit HuggingFaceFolder(std::filesystem::path folder) : m_folder(std::move(folder)) {}
    Status openWeights();
    Status openShards(const std::filesystem::path& index);
    Status openFile(const std::filesystem::path& file);
    Status readConfig();
    /// Matrices of all experts as one [E * out, in], as the engine has them.
    void flattenExperts();

    std::filesystem::path m_folder;
    std::vector<SafetensorsFile> m_files;
    std::map<std::string, TensorBytes> m_tensors; // views of the files
    TensorNames m_names;                          // of m_tensors
    const Architecture* m_architecture = nullptr;
    ModelSpec m_spec;
    std::vector<std::int64_t> m_endTokens;
    std::vector<std::string> m_labels;
};

} // namespace trainyard
