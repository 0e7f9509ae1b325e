// Records what a power cut would leave, for LD_PRELOAD. Only a sync makes anything survive, so after each
// fsync() and fdatasync() below TRAINYARD_DISK these are written to the folder TRAINYARD_DISK_RECORD, n = 0
// (the beginning), 1, 2, ...:
//     <n>.tree     the whole tree at that moment, a line for each entry: <inode of its folder> <inode> d|f
//     <name> <n>.synced   what was synced: <inode> d|f <n>.data     the synced file's bytes
// disk_after_power_cut.h reads them.
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <optional>
#include <sstream>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace {

std::mutex mutex; ///< a record tells of one moment
thread_local bool recording = false;

std::string variable(const char* name)
{
    const char* value = std::getenv(name);
    return value ? value : "";
}

std::string record(long number, const char* what)
{
    return variable("TRAINYARD_DISK_RECORD") + '/' + std::to_string(number) + '.' + what;
}

std::uint64_t inodeOf(const fs::path& path)
{
    struct stat status {};
    return ::lstat(path.c_str(), &status) == 0 ? status.st_ino : 0;
}

/// The lines of the tree; nullopt when another thread has moved or removed an entry meanwhile.
std::optional<std::string> linesOfTree(const fs::path& disk)
{
    std::ostringstream out;
    out << 0 << ' ' << inodeOf(disk) << " d .\n";
    std::error_code gone;
    for (fs::recursive_directory_iterator entry(disk, gone), end; !gone && entry != end;
         entry.increment(gone)) {
        const fs::path& path = entry->path();
        const std::uint64_t folder = inodeOf(path.parent_path()), inode = inodeOf(path);
        if (folder == 0 || inode == 0)
            return std::nullopt;
        out << folder << ' ' << inode << ' ' << (entry->is_directory(gone) ? 'd' : 'f') << ' '
            << path.filename().string() << '\n';
    }
    return gone ? std::nullopt : std::optional(out.str());
}

void writeTree(long number)
{
    std::optional<std::string> lines;
    while (!lines)
        lines = linesOfTree(variable("TRAINYARD_DISK"));
    std::ofstream(record(number, "tree")) << *lines;
}

/// As many bytes as there were when the sync began.
void writeData(long number, const fs::path& path, off_t size)
{
    std::string bytes(static_cast<std::size_t>(size), '\0');
    std::ifstream(path, std::ios::binary).read(bytes.data(), size);
    std::ofstream(record(number, "data"), std::ios::binary) << bytes;
}

fs::path pathOf(int fd)
{
    std::error_code ignored;
    return fs::read_symlink("/proc/self/fd/" + std::to_string(fd), ignored);
}

bool isOnTheDisk(const fs::path& path)
{
    const std::string disk = variable("TRAINYARD_DISK");
    return !disk.empty() && path.string().starts_with(disk);
}

void recordSync(int fd, const struct stat& before)
{
    static std::atomic<long> syncs{0};
    const std::lock_guard lock(mutex);
    const long number = ++syncs;
    const bool folder = S_ISDIR(before.st_mode);
    writeTree(number);
    if (!folder)
        writeData(number, pathOf(fd), before.st_size);
    std::ofstream(record(number, "synced")) << before.st_ino << (folder ? " d\n" : " f\n");
}

int syncAndRecord(int fd, const char* name)
{
    const auto next = reinterpret_cast<int (*)(int)>(::dlsym(RTLD_NEXT, name));
    struct stat before {};
    ::fstat(fd, &before);
    const int failure = next(fd);
    if (failure == 0 && !recording && isOnTheDisk(pathOf(fd))) {
        recording = true;
        recordSync(fd, before);
        recording = false;
    }
    return failure;
}

struct Beginning {
    Beginning()
    {
        if (!variable("TRAINYARD_DISK").empty())
            writeTree(0);
    }
};
const Beginning beginning;

} // namespace

extern "C" {

int fsync(int fd)
{
    return syncAndRecord(fd, "fsync");
}

int fdatasync(int fd)
{
    return syncAndRecord(fd, "fdatasync");
}

} // extern "C"
