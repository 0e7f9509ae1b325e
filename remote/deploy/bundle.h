#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "remote/wire/bundle_manifest.h"

namespace trainyard {

/// A file of a bundle and its path on this computer.
struct BundleEntry : BundleFile {
    std::uint64_t size = 0; ///< bytes
    std::filesystem::path source;
    bool forCuda = false;   ///< only ranks on CUDA devices need it
    bool forTables = false; ///< only what reads Parquet or Arrow files needs it
};

/// What a bundle has beside that which every host needs.
struct BundleParts {
    bool cuda = false;
    bool tables = false;
};

/// Everything a node needs to run the engine: bin/ (worker, prepare, agent), lib/ (LibTorch and other
/// libraries), system/ (C library and loader) and mpi/ (OpenMPI), so that nothing must be installed there.
/// `packaging/bundle` builds the folder and its manifest.json. A plain value; any thread.
struct Bundle {
    std::string id;                 ///< of remote/wire/bundle_manifest.h: same files, same id, everywhere
    std::string version;            ///< of the engine inside
    std::vector<BundleEntry> files; ///< in order of path

    std::uint64_t totalBytes() const;
    /// Returns what hosts need that use these parts: without them a fraction of the size, with another id.
    Bundle with(BundleParts parts) const;

    /// Reads folder/manifest.json and checks the files' sizes; the receiving hosts check the hashes. BadInput
    /// names the problem. Refused when the engine's version is not `expectedVersion`.
    static Result<Bundle> load(const std::filesystem::path& folder, const std::string& expectedVersion);
};

/// Returns the local bundle folder: $TRAINYARD_BUNDLE, or `bundle` in or next to the folder of the
/// executables. Refused, with the command that builds one, when there is none.
Result<std::filesystem::path> findBundleFolder();

} // namespace trainyard
