#include "remote/agent/programs/driver_libraries.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <sstream>
#include <unistd.h>

#include "engine/base/file.h"
#include "engine/base/hash.h"
#include "remote/wire/elf_file.h"

namespace trainyard::agent {

namespace {

namespace fs = std::filesystem;

constexpr const char* kDriver = "libcuda.so.1";
/// The driver's libraries and, on WSL, what they reach the device through.
constexpr std::array<std::string_view, 4> kNames{"libcuda.so", "libcudadebugger.so", "libnvidia-",
                                                 "libdxcore.so"};
#ifdef __aarch64__
constexpr const char* kSystemFolder = "/usr/lib/aarch64-linux-gnu";
#else
constexpr const char* kSystemFolder = "/usr/lib/x86_64-linux-gnu";
#endif
constexpr std::array kUsualFolders{kSystemFolder,
                                   "/usr/lib64",
                                   "/usr/lib/wsl/lib",
                                   "/run/opengl-driver/lib",  // NixOS
                                   "/usr/local/nvidia/lib64", // containers of Kubernetes and of older Docker
                                   "/usr/local/nvidia/lib",
                                   "/.singularity.d/libs",
                                   "/usr/lib",
                                   "/usr/lib64/nvidia",
                                   "/usr/lib/nvidia/current"};

/// Folders of the driver in the cache of the node's loader: its strings are paths, each with an end of its
/// own.
std::vector<fs::path> cachedFolders()
{
    const std::string name = std::string("/") + kDriver + '\0';
    const auto cache = readFile("/etc/ld.so.cache");
    std::vector<fs::path> folders;
    for (std::size_t at = 0; cache.ok() && (at = cache->find(name, at)) != std::string::npos; ++at) {
        const std::size_t begin = cache->rfind('\0', at) + 1; // 0 if there is none
        folders.emplace_back(cache->substr(begin, at - begin));
    }
    return folders;
}

bool hasDriver(const fs::path& folder)
{
    const fs::path library = folder / kDriver;
    if (::access(library.c_str(), R_OK) != 0)
        return false;
    const auto elf = readElf(library);
    return elf.ok() && *elf && (**elf).machine == kOwnMachine;
}

std::vector<fs::path> driverFiles(const fs::path& folder)
{
    std::vector<fs::path> files;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
        const std::string name = entry.path().filename().string();
        if (isOfDriver(name) && name.find(".so") != std::string::npos)
            files.push_back(entry.path());
    }
    std::ranges::sort(files);
    return files;
}

std::string nameFor(const std::vector<fs::path>& files)
{
    std::string text;
    for (const fs::path& file : files)
        text += file.string() + '\n';
    return "driver-" + sha256Hex(text).substr(0, 12);
}

bool linkAll(const std::vector<fs::path>& files, const fs::path& folder)
{
    return std::ranges::all_of(files, [&](const fs::path& file) {
        return ::symlink(file.c_str(), (folder / file.filename()).c_str()) == 0;
    });
}

/// Ranks of a node may do it at the same time: each makes its own, the first one names it.
bool publishLinks(const std::vector<fs::path>& files, const fs::path& folder)
{
    std::string temporary = folder.string() + ".XXXXXX";
    if (!::mkdtemp(temporary.data()))
        return false;
    if (linkAll(files, temporary) && ::rename(temporary.c_str(), folder.c_str()) == 0)
        return true;
    std::error_code ignored;
    fs::remove_all(temporary, ignored);
    return fs::is_directory(folder, ignored);
}

} // namespace

bool isOfDriver(const std::string& name)
{
    return std::ranges::any_of(kNames, [&](std::string_view prefix) { return name.starts_with(prefix); });
}

std::vector<fs::path> driverFolders()
{
    std::vector<fs::path> folders;
    const char* set = std::getenv("LD_LIBRARY_PATH");
    std::istringstream entries(set ? set : "");
    for (std::string entry; std::getline(entries, entry, ':');) {
        if (entry.starts_with('/'))
            folders.emplace_back(entry);
    }
    const auto cached = cachedFolders();
    folders.insert(folders.end(), cached.begin(), cached.end());
    folders.insert(folders.end(), kUsualFolders.begin(), kUsualFolders.end());
    return folders;
}

fs::path linkDriverLibraries(const fs::path& bundle, const std::vector<fs::path>& folders)
{
    const auto found = std::ranges::find_if(folders, hasDriver);
    if (found == folders.end())
        return {};
    const auto files = driverFiles(*found);
    const fs::path links = bundle / nameFor(files);
    std::error_code ignored;
    return fs::is_directory(links, ignored) || publishLinks(files, links) ? links : fs::path();
}

} // namespace trainyard::agent
