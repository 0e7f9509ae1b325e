#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "engine/base/result.h"

namespace trainyard::agent {

/// Where files live by their content: `cas/<2 hex>/<sha256>`. What has its final name there is complete and
/// was verified; it is read-only and sealed. Hashes given here must be well-formed (isSha256).
class BlobStore {
public:
    explicit BlobStore(const std::filesystem::path& root) : m_folder(root / "cas") {}

    /// The agent's folder, which is there.
    std::filesystem::path root() const { return m_folder.parent_path(); }
    std::filesystem::path blob(const std::string& sha256) const;
    /// An upload under way, or what is left of a broken one.
    std::filesystem::path partial(const std::string& sha256) const;
    /// Block sums of a partial blob, see PartFile.
    std::filesystem::path sums(const std::string& sha256) const;

    /// True when the blob is there and is what its name says. One that was written to since it was sealed is
    /// hashed again; a damaged one is removed.
    bool has(const std::string& sha256) const;
    /// Says that somebody needs this blob now, so that it is not taken for an old one.
    void noteUse(const std::string& sha256) const;
    Status makeFolderFor(const std::string& sha256) const;

private:
    std::filesystem::path m_folder;
};

/// Marks a verified file by its time of modification, the first second of 1970 (as the Nix store does):
/// whoever writes to it afterwards gives it another one, and need not have meant to.
void seal(int fd);
void seal(const std::filesystem::path& path);
bool isSealed(const std::filesystem::path& path);

} // namespace trainyard::agent
