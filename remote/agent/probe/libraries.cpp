#include "remote/agent/probe/libraries.h"

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <vector>

#include "engine/base/file.h"
#include "engine/base/process.h"
#include "remote/agent/programs/driver_libraries.h"
#include "remote/wire/elf_file.h"

namespace trainyard::agent {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::size_t kMaxLibraries = 500;
constexpr std::size_t kMaxVersions = 1000; ///< of one library
#ifdef __aarch64__
constexpr const char* kMultiarch = "aarch64-linux-gnu";
#else
constexpr const char* kMultiarch = "x86_64-linux-gnu";
#endif

/// The folders that the loader's cache is made of; files that ld.so.conf includes by other ways are left out.
std::vector<fs::path> configuredFolders()
{
    std::vector<fs::path> files{"/etc/ld.so.conf"};
    std::error_code missing;
    for (const auto& entry : fs::directory_iterator("/etc/ld.so.conf.d", missing))
        files.push_back(entry.path());
    std::vector<fs::path> folders;
    for (const fs::path& file : files) {
        const auto text = readFile(file);
        std::istringstream lines(text.ok() ? *text : std::string());
        for (std::string line; lines >> line;) {
            if (line.starts_with('/'))
                folders.emplace_back(line);
        }
    }
    return folders;
}

std::vector<fs::path> searchedFolders()
{
    std::vector<fs::path> folders;
    const char* set = std::getenv("LD_LIBRARY_PATH");
    std::istringstream entries(set ? set : "");
    for (std::string entry; std::getline(entries, entry, ':');) {
        if (!entry.empty())
            folders.emplace_back(entry);
    }
    // mpirun gives its own libraries to the ranks that it starts.
    std::error_code ignored;
    if (const fs::path mpirun = fs::canonical(programInPath("mpirun"), ignored); !mpirun.empty()) {
        const fs::path prefix = mpirun.parent_path().parent_path();
        folders.insert(folders.end(), {prefix / "lib", prefix / "lib64", prefix / "lib/openmpi"});
    }
    for (const char* root : {"/lib", "/usr/lib", "/usr/local/lib"})
        folders.push_back(fs::path(root) / kMultiarch);
    folders.insert(folders.end(), {"/lib64", "/usr/lib64", "/lib", "/usr/lib", "/usr/local/lib"});
    const auto configured = configuredFolders();
    folders.insert(folders.end(), configured.begin(), configured.end());
    return folders;
}

/// Finds libraries as the loader would, those of this processor alone; the CUDA driver also where only we
/// look.
class Search {
public:
    struct Found {
        fs::path path;
        ElfFile file;
    };

    std::optional<Found> find(const std::string& name) const
    {
        for (const fs::path& folder : m_folders) {
            if (auto found = fitting(folder / name))
                return found;
        }
        for (const fs::path& folder : isOfDriver(name) ? driverFolders() : std::vector<fs::path>()) {
            if (auto found = fitting(folder / name))
                return found;
        }
        return std::nullopt;
    }

private:
    static std::optional<Found> fitting(const fs::path& path)
    {
        auto file = readElf(path);
        if (!file.ok() || !*file || (**file).machine != kOwnMachine)
            return std::nullopt;
        return Found{path, **std::move(file)};
    }

    std::vector<fs::path> m_folders = searchedFolders();
};

Result<std::vector<std::string>> versionsIn(const std::string& library, const json& list)
{
    std::vector<std::string> versions;
    const bool fits = list.is_array() && list.size() <= kMaxVersions;
    for (const json& version : fits ? list : json::array()) {
        if (version.is_string())
            versions.push_back(version.get<std::string>());
    }
    if (!fits || versions.size() != list.size())
        return badInput("needs: the versions of \"" + library.substr(0, 100) +
                        "\" are not a list of strings");
    return versions;
}

json factsOf(const Search& search, const std::string& name, const std::vector<std::string>& versions)
{
    const auto found = search.find(name);
    json facts{{"path", nullptr}, {"lacks", json::array()}};
    if (!found)
        return facts;
    facts["path"] = found->path.string();
    for (const std::string& version : versions) {
        if (!found->file.versions.contains(version))
            facts["lacks"].push_back(version);
    }
    return facts;
}

} // namespace

Result<json> libraryFacts(const json& needs)
{
    if (!needs.is_object() || needs.size() > kMaxLibraries)
        return badInput("needs is not an object that maps each library to its required versions");
    const Search search;
    json facts = json::object();
    for (const auto& [name, list] : needs.items()) {
        if (!isPlainName(name))
            return badInput("needs: \"" + name.substr(0, 100) + "\" is not a library name");
        TRAINYARD_TRY(const auto versions, versionsIn(name, list));
        facts[name] = factsOf(search, name, versions);
    }
    return facts;
}

std::string glibcVersion()
{
    const auto found = Search().find("libc.so.6");
    return found ? newestVersion(found->file.versions, "GLIBC_") : std::string();
}

} // namespace trainyard::agent
