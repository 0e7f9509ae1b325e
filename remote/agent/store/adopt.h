#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "remote/agent/store/blob_store.h"

namespace trainyard::agent {

/// A file of a bundle that the store lacks.
struct WantedFile {
    std::string name; ///< without folders: "libtorch_cpu.so"
    std::uint64_t size = 0;
    std::string sha256;
};

/// Copies into the store what this machine has already: a file of the wanted name and size in one of the
/// folders whose content hashes to what is wanted. A copy, not a link, because its owner may change the file
/// later (where the file system can share blocks between files, it takes no room). The hashes that are in the
/// store now.
std::vector<std::string> adoptFiles(const BlobStore& store, const std::vector<WantedFile>& wanted,
                                    const std::vector<std::filesystem::path>& folders);

/// Where a machine may have LibTorch and other libraries: the folders in $TRAINYARD_LIBRARIES (separated by
/// ':'), an unpacked LibTorch in the usual places, the wheels of system, user, virtual environment and conda,
/// and the system's own libraries.
std::vector<std::filesystem::path> libraryFolders();

} // namespace trainyard::agent
