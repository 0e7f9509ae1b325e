#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "engine/base/result.h"

namespace trainyard::agent {

/// Stores files by content: `cas/<2 hex>/<sha256>`. A file under its final name is complete, verified,
/// read-only and sealed. Hashes passed in must be well-formed (isSha256).
class BlobStore {
public:
    explicit BlobStore(const std::filesystem::path& root) : m_folder(root / "cas") {}

    /// `root` is the agent's folder, which must exist.
    std::filesystem::path root() const { return m_folder.parent_path(); }
    std::filesystem::path blob(const std::string& sha256) const;
    /// Path of an active or interrupted upload.
    std::filesystem::path partial(const std::string& sha256) const;
    /// Block sums of a partial blob, see PartFile.
    std::filesystem::path sums(const std::string& sha256) const;

    /// Returns true when the blob exists and matches its name. Hashes a file again that was written to since
    /// it was sealed, and removes a damaged one.
    bool verifyOrRemove(const std::string& sha256) const;
    /// Records that the blob is needed now, so that clean-up does not treat it as old.
    void noteUse(const std::string& sha256) const;
    Status makeFolderFor(const std::string& sha256) const;

private:
    std::filesystem::path m_folder;
};

/// Seals a verified file by setting its modification time to the first second of 1970 (as the Nix store
/// does): any later write changes it, even an accidental one.
void seal(int fd);
void seal(const std::filesystem::path& path);
bool isSealed(const std::filesystem::path& path);

} // namespace trainyard::agent
