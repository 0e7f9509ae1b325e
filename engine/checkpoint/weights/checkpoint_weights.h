#pragma once

#include <filesystem>
#include <memory>

#include "engine/checkpoint/format/checkpoint_reader.h"
#include "engine/checkpoint/weights/weight_source.h"

namespace trainyard {

/// The weights of a checkpoint, whatever layout wrote it, and its optimizer's state.
class CheckpointWeights : public WeightSource {
public:
    static Result<std::unique_ptr<WeightSource>> open(const std::filesystem::path& folder);

    Status read(const StoredTensor& tensor, const TensorBox& box, std::span<std::byte> destination) override;
    std::string fingerprint() const override;
    std::vector<std::filesystem::path> files() const override;

private:
    CheckpointWeights(std::filesystem::path folder, CheckpointReader reader);

    std::filesystem::path m_folder;
    CheckpointReader m_reader;
};

} // namespace trainyard
