#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "remote/agent/store/blob_store.h"
#include "remote/wire/bundle_manifest.h"

namespace trainyard::agent {

/// `bundles/<id>/{bin,lib,...}`: files of the blob store under the names of a node bundle, as hard links.
class BundleStore {
public:
    explicit BundleStore(const std::filesystem::path& root) : m_folder(root / "bundles"), m_blobs(root) {}

    /// Publishes the bundle atomically. Returns false when it existed already, or another process was faster;
    /// then replaces its missing or modified files, each atomically. BadInput when `id` does not match these
    /// files or a path would leave the bundle; Refused when a blob is missing.
    Result<bool> assemble(const std::string& id, const std::vector<BundleFile>& files) const;

    std::filesystem::path folder(const std::string& id) const { return m_folder / id; }
    bool has(const std::string& id) const;
    std::vector<std::string> ids() const;

private:
    std::filesystem::path m_folder;
    BlobStore m_blobs;
};

} // namespace trainyard::agent
