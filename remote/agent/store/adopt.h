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

/// Copies files that this machine already has into the store: files of the wanted name and size in one of the
/// folders whose content has the wanted hash. Copies instead of linking, because the owner may change the
/// file later (file systems that share blocks need no extra space). Returns the hashes that are in the store
/// now.
std::vector<std::string> adoptFiles(const BlobStore& store, const std::vector<WantedFile>& wanted,
                                    const std::vector<std::filesystem::path>& folders);

/// Returns the folders where a machine may have LibTorch and other libraries: those of $TRAINYARD_LIBRARIES
/// (separated by ':'), an unpacked LibTorch in the usual places, the wheels of system, user, virtual
/// environment and conda, and the system's own libraries.
std::vector<std::filesystem::path> libraryFolders();

} // namespace trainyard::agent
