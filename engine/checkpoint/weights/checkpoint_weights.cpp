#include "engine/checkpoint/weights/checkpoint_weights.h"

#include <algorithm>
#include <set>

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
    return std::unique_ptr<WeightSource>(new CheckpointWeights(folder, std::move(reader)));
}

CheckpointWeights::CheckpointWeights(fs::path folder, CheckpointReader reader)
    : WeightSource(descriptionOf(folder, reader.manifest()))
    , m_folder(std::move(folder))
    , m_reader(std::move(reader))
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

std::vector<fs::path> CheckpointWeights::files() const
{
    std::set<std::string> shards;
    for (const LogicalTensor& tensor : m_reader.manifest().tensors) {
        for (const TensorSlice& slice : tensor.slices)
            shards.insert(slice.file);
    }
    std::vector<fs::path> files{m_folder / kManifestName};
    for (const std::string& shard : shards)
        files.push_back(m_folder / shard);
    return files;
}

} // namespace trainyard
