#include "remote/agent/programs/engine_runtime.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace trainyard::agent {

namespace {

namespace fs = std::filesystem;

constexpr const char* kStart = "libtrainyard_start.so"; ///< start.cpp

/// OpenMPI 4 and PMIx take each of their folders from a variable (opal/mca/installdirs/env); what is not set
/// would be the build machine's.
constexpr std::array<std::pair<const char*, const char*>, 18> kFolders{{{"OPAL_PREFIX", ""},
                                                                        {"OPAL_EXEC_PREFIX", ""},
                                                                        {"OPAL_BINDIR", "bin"},
                                                                        {"OPAL_LIBDIR", "lib"},
                                                                        {"OPAL_PKGLIBDIR", "lib/openmpi"},
                                                                        {"OPAL_DATADIR", "share"},
                                                                        {"OPAL_DATAROOTDIR", "share"},
                                                                        {"OPAL_PKGDATADIR", "share/openmpi"},
                                                                        {"OPAL_SYSCONFDIR", "etc"},
                                                                        {"PMIX_PREFIX", ""},
                                                                        {"PMIX_EXEC_PREFIX", ""},
                                                                        {"PMIX_LIBDIR", "lib"},
                                                                        {"PMIX_PKGLIBDIR", "lib/pmix"},
                                                                        {"PMIX_DATADIR", "share"},
                                                                        {"PMIX_DATAROOTDIR", "share"},
                                                                        {"PMIX_PKGDATADIR", "share/pmix"},
                                                                        {"PMIX_SYSCONFDIR", "etc"},
                                                                        {"HWLOC_PLUGINS_PATH", "lib/hwloc"}}};
constexpr std::array<std::string_view, 2> kOfHost{"LD_PRELOAD", "LD_AUDIT"};

bool isReplaced(std::string_view name)
{
    return std::ranges::find(kOfHost, name) != kOfHost.end() ||
           std::ranges::any_of(kFolders, [&](const auto& folder) { return folder.first == name; });
}

} // namespace

std::optional<EngineRuntime> EngineRuntime::in(const fs::path& bundle)
{
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(bundle / "system", ignored)) {
        const std::string name = entry.path().filename().string();
        if (name.starts_with("ld-linux") && ::access(entry.path().c_str(), X_OK) == 0)
            return EngineRuntime{bundle, entry.path()};
    }
    return std::nullopt;
}

fs::path EngineRuntime::program(const std::string& name) const
{
    for (const fs::path& path : {bundle / "bin" / name, bundle / "mpi/bin" / name}) {
        if (::access(path.c_str(), X_OK) == 0)
            return path;
    }
    return {};
}

std::string EngineRuntime::libraryPath(const fs::path& driver) const
{
    std::string path;
    for (const char* folder : {"system", "lib", "mpi/lib"})
        path += (path.empty() ? "" : ":") + (bundle / folder).string();
    return driver.empty() ? path : path + ":" + driver.string();
}

std::vector<std::string> EngineRuntime::command(const std::string& name, const std::string& libraryPath,
                                                const std::vector<std::string>& arguments) const
{
    std::vector<std::string> command{name, // what ps shows first
                                     "--inhibit-cache",
                                     "--library-path",
                                     libraryPath,
                                     "--preload",
                                     bundle / "system" / kStart,
                                     "--argv0",
                                     name,
                                     program(name)};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return command;
}

Environment EngineRuntime::environment(const Environment& inherited) const
{
    Environment environment;
    for (const std::string& entry : inherited) {
        if (!isReplaced(std::string_view(entry).substr(0, entry.find('='))))
            environment.push_back(entry);
    }
    for (const auto& [name, folder] : kFolders)
        environment.push_back(name + ("=" + (bundle / "mpi" / folder).string()));
    return environment;
}

} // namespace trainyard::agent
