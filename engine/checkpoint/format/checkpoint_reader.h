#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string_view>

#include "engine/base/result.h"
#include "engine/checkpoint/format/box_copy.h"
#include "engine/checkpoint/format/checkpoint_folder.h"
#include "engine/checkpoint/format/manifest.h"
#include "engine/checkpoint/format/stored_file.h"

namespace trainyard {

/// Reads tensors of one published checkpoint and verifies every slice that it touches. A shard that is on
/// another host is BadInput with the host's name.
class CheckpointReader {
public:
    /// `folder` is one `step-...`. Errors as of CheckpointManifest::load().
    static Result<CheckpointReader> open(const std::filesystem::path& folder);
    /// Of a checkpoint whose shards are in several folders; the first that has a shard is read.
    CheckpointReader(std::vector<std::filesystem::path> folders, CheckpointManifest manifest);

    const CheckpointManifest& manifest() const { return m_manifest; }
    /// Fills `destination` with the logical tensor, row-major, in its stored type; the size must fit exactly.
    /// BadInput naming tensor and file when its bytes are not there or do not have the hash that the manifest
    /// gives, Failed when they cannot be read, Refused when the checkpoint has no such tensor; `destination`
    /// may then be partly written.
    Status read(std::string_view name, std::span<std::byte> destination);
    /// The same for a box of the tensor.
    Status read(std::string_view name, const TensorBox& box, std::span<std::byte> destination);
    /// After BadInput: the shard whose content is wrong; empty: none.
    const std::string& damagedShard() const { return m_damagedShard; }

private:
    Status readSlice(const LogicalTensor& tensor, const TensorSlice& slice, const BoxView<std::byte>& target);
    Status readVerified(const LogicalTensor& tensor, const TensorSlice& slice, std::span<std::byte> out);
    Result<const StoredFile*> fileNamed(const std::string& name);

    std::vector<std::filesystem::path> m_folders;
    CheckpointManifest m_manifest;
    std::map<std::string, StoredFile> m_files; // opened when first needed
    std::string m_damagedShard;
};

} // namespace trainyard
