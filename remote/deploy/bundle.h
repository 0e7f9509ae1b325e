#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "remote/wire/bundle_manifest.h"

namespace trainyard {

/// A file of a bundle and where the desk has it.
struct BundleEntry : BundleFile {
    std::uint64_t size = 0; ///< bytes
    std::filesystem::path source;
    bool forCuda = false; ///< only ranks on CUDA devices need it
};

/// What a node needs to run the engine: bin/ (worker, prepare, agent) and lib/ (LibTorch and whatever else no
/// distribution has), so that nothing must be installed there but MPI. `packaging/bundle` makes the folder
/// and its manifest.json. A plain value; any thread.
struct Bundle {
    std::string id;                 ///< of remote/wire/bundle_manifest.h: same files, same id, everywhere
    std::string version;            ///< of the engine inside
    std::vector<BundleEntry> files; ///< in order of path

    std::uint64_t totalBytes() const;
    /// What ranks on processors need: a fraction of the size. Another id.
    Bundle withoutCuda() const;

    /// Reads folder/manifest.json and compares it with the files' sizes; their hashes are compared where they
    /// arrive. BadInput names what is wrong. Refused when the engine's version is not `expectedVersion`.
    static Result<Bundle> load(const std::filesystem::path& folder, const std::string& expectedVersion);
};

/// The bundle folder of this desk: $TRAINYARD_BUNDLE, or `bundle` in or beside the folder of its executables.
/// Refused with the command that makes one when there is none.
Result<std::filesystem::path> findBundleFolder();

} // namespace trainyard
