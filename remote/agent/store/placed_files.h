#pragma once

#include <filesystem>
#include <vector>

#include "engine/base/result.h"
#include "remote/agent/store/blob_store.h"
#include "remote/wire/bundle_manifest.h"

namespace trainyard::agent {

/// Publishes files of the blob store as a folder, atomically, as hard links (copies where the file system has
/// none). Returns false when the folder existed already, or another process was faster; then replaces its
/// missing or modified files, each atomically. Refused when a blob is missing. The paths must have passed
/// canonicalManifest().
Result<bool> placeFiles(const BlobStore& blobs, const std::filesystem::path& folder,
                        const std::vector<BundleFile>& files);

} // namespace trainyard::agent
