#include "remote/agent/store/adopt.h"

#include <algorithm>
#include <cstdlib>
#include <fcntl.h>
#include <glob.h>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/file.h"
#include "engine/base/hash.h"
#include "engine/base/units.h"
#include "remote/agent/store/part_file.h"

namespace trainyard::agent {

namespace fs = std::filesystem;

namespace {

/// Links are followed: that is how libraries lie there. Opening must not wait, whatever the name leads to.
FileDescriptor openOfSize(const fs::path& path, std::uint64_t size)
{
    FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    struct stat info {};
    if (!file.valid() || ::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode) ||
        static_cast<std::uint64_t>(info.st_size) != size)
        file.reset();
    return file;
}

Status copyInto(PartFile& part, int source)
{
    std::string buffer(kMiB, '\0');
    while (!part.complete()) {
        const ssize_t got = ::read(source, buffer.data(), buffer.size());
        if (got <= 0)
            return failed("the file shrank while it was being copied");
        TRAINYARD_TRY_STATUS(part.append({buffer.data(), static_cast<std::size_t>(got)}));
    }
    return part.finish();
}

/// Hashed before anything is written: a part of this blob that an upload left is worth more than a file that
/// only looks like it.
Status adopt(const BlobStore& store, const WantedFile& wanted, const fs::path& path)
{
    const FileDescriptor source = openOfSize(path, wanted.size);
    if (!source.valid())
        return badInput(path.string() + " is not a file of that size");
    TRAINYARD_TRY(const std::string hash, sha256OfFile(path));
    if (hash != wanted.sha256)
        return badInput(path.string() + " has different content");
    TRAINYARD_TRY(const auto part, PartFile::open(store, {wanted.sha256, wanted.size, 0}));
    return copyInto(*part, source.get());
}

bool isPlace(const fs::path& path)
{
    std::error_code ignored;
    return path.is_absolute() && fs::is_directory(path, ignored);
}

void addMatching(std::vector<fs::path>& folders, const std::string& pattern)
{
    glob_t found{};
    if (::glob(pattern.c_str(), 0, nullptr, &found) == 0) {
        for (std::size_t i = 0; i < found.gl_pathc; ++i)
            folders.emplace_back(found.gl_pathv[i]);
    }
    ::globfree(&found);
}

std::string variable(const char* name)
{
    const char* value = std::getenv(name);
    return value ? value : "";
}

} // namespace

std::vector<std::string> adoptFiles(const BlobStore& store, const std::vector<WantedFile>& wanted,
                                    const std::vector<fs::path>& folders)
{
    std::vector<std::string> adopted;
    for (const WantedFile& file : wanted) {
        const auto isHere = [&](const fs::path& folder) {
            return adopt(store, file, folder / file.name).ok();
        };
        if (std::ranges::any_of(folders, isHere))
            adopted.push_back(file.sha256);
    }
    return adopted;
}

std::vector<fs::path> libraryFolders()
{
    std::vector<fs::path> folders;
    std::istringstream given(variable("TRAINYARD_LIBRARIES"));
    for (std::string folder; std::getline(given, folder, ':');)
        folders.emplace_back(folder);
    const std::string home = variable("HOME");
    for (const std::string& base : {home, std::string("/opt"), std::string("/usr/local")})
        folders.emplace_back(base + "/libtorch/lib");
    for (const std::string& base : {variable("VIRTUAL_ENV"), variable("CONDA_PREFIX"), home + "/.local",
                                    std::string("/usr/local"), std::string("/usr")}) {
        if (base.empty())
            continue;
        addMatching(folders, base + "/lib/python3*/site-packages/torch/lib");
        addMatching(folders, base + "/lib/python3*/dist-packages/torch/lib");
    }
    for (const char* system : {"/usr/local/lib", "/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib"})
        folders.emplace_back(system);
    std::erase_if(folders, [](const fs::path& folder) { return !isPlace(folder); });
    return folders;
}

} // namespace trainyard::agent
