#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/checkpoint/format/safetensors.h"
#include "engine/checkpoint/weights/weight_source.h"

namespace trainyard {

/// Low-rank adapters as PEFT saves them, over the model that they belong to (baseOfAdapters()): together the
/// weights of a model with section lora. Its targets are the products that have tensors.
class AdapterWeights : public WeightSource {
public:
    /// BadInput for a base that is missing or has adapters itself, and for tensors that are neither an
    /// adapter of a product that can have one here nor a part of a head.
    static Result<std::unique_ptr<WeightSource>> open(const std::filesystem::path& folder);

    Status read(const StoredTensor& tensor, const TensorBox& box, std::span<std::byte> destination) override;
    std::string fingerprint() const override;
    Status checkContent() const override { return m_base->checkContent(); }
    /// The base's are in its own folder.
    std::vector<std::filesystem::path> files() const override;

private:
    /// Views of the file by the names of checkpoints.
    using Adapters = std::map<std::string, TensorBytes>;
    AdapterWeights(SafetensorsFile file, Adapters adapters, std::unique_ptr<WeightSource> base,
                   WeightDescription description);

    SafetensorsFile m_file; ///< owns the memory that the adapters view
    Adapters m_adapters;    ///< with what was trained of the head
    std::unique_ptr<WeightSource> m_base;
};

} // namespace trainyard
