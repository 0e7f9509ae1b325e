#pragma once

#include <filesystem>

#include "engine/base/result.h"
#include "engine/checkpoint/hugging_face/format/hugging_face_folder.h"

namespace trainyard {

class ParameterStore;

/// The model of a HuggingFaceFolder, to be loaded whole.
class HuggingFaceModel {
public:
    /// Errors as of HuggingFaceFolder::open().
    static Result<HuggingFaceModel> open(const std::filesystem::path& folder);

    const ModelSpec& spec() const { return m_folder.spec(); }
    const std::vector<std::int64_t>& endTokens() const { return m_folder.endTokens(); }
    bool fusesExperts() const { return m_folder.fusesExperts(); }
    ComputeType storedType() const { return m_folder.storedType(); }
    const std::vector<std::string>& labels() const { return m_folder.labels(); }

    /// Fills the master weights of a whole model of spec(), converted to their type. BadInput naming the
    /// tensor that is missing, unknown, of another shape, or a copy that differs from what it is tied to.
    Status load(ParameterStore& parameters) const;

private:
    explicit HuggingFaceModel(HuggingFaceFolder folder) : m_folder(std::move(folder)) {}

    HuggingFaceFolder m_folder;
};

} // namespace trainyard
