#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/process.h"

namespace trainyard::agent {

/// The part of a bundle that makes it independent of the host's libraries (packaging/bundle): `system` with a
/// C library and its loader, `mpi` with OpenMPI. A program's file names the host's loader, by an absolute
/// path, so our loader is started instead and told the program. A plain value; any thread.
struct EngineRuntime {
    std::filesystem::path bundle; ///< absolute
    std::filesystem::path loader; ///< system/ld-linux-x86-64.so.2

    /// Returns nullopt for a bundle that relies on the host's C library and MPI, and for other folders.
    static std::optional<EngineRuntime> in(const std::filesystem::path& bundle);

    /// Returns the path of `trainyard-worker`, `mpirun`, ...; empty when the bundle does not have it.
    std::filesystem::path program(const std::string& name) const;
    /// Returns the folders that libraries are searched in, ours first. `driver`: folder with the libraries of
    /// the node's devices (driver_libraries.h), or empty.
    std::string libraryPath(const std::filesystem::path& driver) const;
    /// Returns the arguments with which the loader runs the program under that name. It searches nowhere but
    /// in `libraryPath`: no LD_LIBRARY_PATH, no cache, no folders of its own.
    std::vector<std::string> command(const std::string& name, const std::string& libraryPath,
                                     const std::vector<std::string>& arguments) const;
    /// Returns `inherited` with the variables by which OpenMPI, PMIx and hwloc find their files in the
    /// bundle, and without those by which the host's libraries would be loaded. The loader's folders are in
    /// no variable: programs of the host that ours start (ssh, a shell) keep their own libraries.
    Environment environment(const Environment& inherited) const;
};

} // namespace trainyard::agent
