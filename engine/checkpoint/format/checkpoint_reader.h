#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/checkpoint/format/box_copy.h"
#include "engine/checkpoint/format/checkpoint_folder.h"
#include "engine/checkpoint/format/manifest.h"
#include "engine/checkpoint/format/shard_header.h"
#include "engine/checkpoint/format/stored_file.h"

namespace trainyard {

/// Slices that were brought from other hosts, into a folder where they have the same files and offsets.
struct BroughtSlices {
    std::filesystem::path folder{};
    std::set<std::pair<std::string, std::uint64_t>> slices{}; ///< file and offset
};

/// A slice that could not be read, or has another hash.
struct SliceFault {
    std::string file;
    std::uint64_t offset = 0;
    bool isUnreadable = false; ///< now; otherwise its content is wrong
    std::string reason{};
};

/// Reads tensors of one published checkpoint and verifies every slice that it touches. A shard that is on
/// another host is BadInput with the host's name.
class CheckpointReader {
public:
    /// `folder` is one `step-...`. Errors as of CheckpointManifest::load().
    static Result<CheckpointReader> open(const std::filesystem::path& folder);
    /// Of one in `folder`, but for slices that were brought from other hosts.
    CheckpointReader(std::filesystem::path folder, CheckpointManifest manifest, BroughtSlices brought = {});

    const CheckpointManifest& manifest() const { return m_manifest; }
    /// Fills `destination` with the logical tensor, row-major, in its stored type; the size must fit exactly.
    /// BadInput naming tensor and file when its bytes are not there or do not have the hash that the manifest
    /// gives, Failed when they cannot be read, Refused when the checkpoint has no such tensor; `destination`
    /// may then be partly written.
    Status read(std::string_view name, std::span<std::byte> destination);
    /// The same for a box of the tensor.
    Status read(std::string_view name, const TensorBox& box, std::span<std::byte> destination);
    /// Looks at slices of the manifest. Returns those that cannot be read, or whose content is wrong.
    std::vector<SliceFault> check(const std::vector<SliceInFile>& slices);

private:
    Status readSlice(const LogicalTensor& tensor, const TensorSlice& slice, const BoxView<std::byte>& target);
    Status readVerified(const LogicalTensor& tensor, const TensorSlice& slice, std::span<std::byte> out);
    Result<const StoredFile*> fileOf(const TensorSlice& slice);

    std::filesystem::path m_folder;
    CheckpointManifest m_manifest;
    BroughtSlices m_brought;
    std::map<std::filesystem::path, StoredFile> m_files; // opened when first needed
};

} // namespace trainyard
