#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace trainyard::agent {

#ifdef __aarch64__
constexpr std::uint16_t kOwnMachine = 183; ///< EM_AARCH64
#else
constexpr std::uint16_t kOwnMachine = 62; ///< EM_X86_64
#endif

/// True for "libcuda.so.1", "libnvidia-ml.so.1", ...: libraries that come with the CUDA driver.
bool isOfDriver(const std::string& name);

/// Returns the folders that may hold the CUDA driver's libraries on this node, the most specific first:
/// LD_LIBRARY_PATH, those of the loader's cache (what `ldconfig -p` prints), then where distributions,
/// containers, WSL and NixOS put them. They need not exist.
std::vector<std::filesystem::path> driverFolders();

/// Returns a folder with links to the driver's libraries (libcuda.so.1, libnvidia-ml.so.1, what compiles
/// kernels, ...) of the first of `folders` that has libcuda.so.1 for this processor; empty when none has. The
/// folder is made in `bundle` on first use, removed with it, and named after the links' targets, as hosts may
/// share the bundle's disk. Links, because the driver's own folder often is the system's: on the library path
/// it would mix all of the node's libraries into our programs.
std::filesystem::path
linkDriverLibraries(const std::filesystem::path& bundle,
                    const std::vector<std::filesystem::path>& folders = driverFolders());

} // namespace trainyard::agent
