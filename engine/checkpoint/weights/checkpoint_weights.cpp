#include "engine/checkpoint/weights/checkpoint_weights.h"

#include <algorithm>

#include "engine/base/hash.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

WeightDescription descriptionOf(const fs::path& folder, const CheckpointManifest& manifest)
{
    WeightDescription description{.origin = "the checkpoint " + folder.string(),
                                  .model = manifest.position.spec.model};
    for (const LogicalTensor& tensor : manifest.tensors)
        description.tensors.push_back({tensor.name, tensor.shape, tensor.type});
    const bool hasOptimizer = std::ranges::any_of(manifest.tensors, [](const LogicalTensor& tensor) {
        return tensor.name.starts_with(kOptimizerPrefix);
    });
    if (hasOptimizer) {
        description.optimizer = manifest.position.spec.optimizer.kind;
        description.updates = manifest.position.updates();
    }
    return description;
}

} // namespace

Result<std::unique_ptr<WeightSource>> CheckpointWeights::open(const fs::path& folder)
{
    TRAINYARD_TRY(CheckpointReader reader, CheckpointReader::open(folder));
    WeightDescription description = descriptionOf(folder, reader.manifest());
    return std::unique_ptr<WeightSource>(new CheckpointWeights(std::move(description), std::move(reader)));
}

CheckpointWeights::CheckpointWeights(WeightDescription description, CheckpointReader reader)
    : WeightSource(std::move(description)), m_reader(std::move(reader))
{
}

Status CheckpointWeights::read(const StoredTensor& tensor, const TensorBox& box,
                               std::span<std::byte> destination)
{
    return m_reader.read(tensor.name, box, destination);
}

/// The manifest holds the hash of every slice.
std::string CheckpointWeights::fingerprint() const
{
    return xxh3Hex(m_reader.manifest().toJson());
}

} // namespace trainyard
