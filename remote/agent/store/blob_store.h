#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "engine/base/result.h"

namespace trainyard::agent {

/// Where files live by their content: `cas/<2 hex>/<sha256>`. What has its final name there is complete and
/// was verified; it is read-only. Hashes given here must be well-formed (isSha256).
class BlobStore {
public:
    explicit BlobStore(const std::filesystem::path& root) : m_folder(root / "cas") {}

    std::filesystem::path blob(const std::string& sha256) const;
    /// An upload under way, or what is left of a broken one.
    std::filesystem::path partial(const std::string& sha256) const;
    /// Block sums of a partial blob, see PartFile.
    std::filesystem::path sums(const std::string& sha256) const;

    bool has(const std::string& sha256) const;
    Status makeFolderFor(const std::string& sha256) const;

private:
    std::filesystem::path m_folder;
};

} // namespace trainyard::agent
