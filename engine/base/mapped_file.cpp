#include "engine/base/mapped_file.h"

#include <cerrno>
#include <cstdint>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/file.h"

namespace trainyard {

Result<std::shared_ptr<const MappedFile>> MappedFile::open(const std::filesystem::path& path)
{
    const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)); // a pipe would wait
    struct stat status = {};
    if (!file.valid() || ::fstat(file.get(), &status) != 0)
        return systemError(ErrorKind::BadInput, "cannot open " + path.string(), errno);
    if (!S_ISREG(status.st_mode))
        return badInput(path.string() + (S_ISDIR(status.st_mode) ? " is a folder" : " is not a file"),
                        "name a file on a disk");
    const auto size = static_cast<std::size_t>(status.st_size);
    if (size == 0)
        return std::shared_ptr<const MappedFile>(new MappedFile({}));
    void* start = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file.get(), 0);
    if (start == MAP_FAILED)
        return systemError(ErrorKind::BadInput, "cannot map " + path.string(), errno);
    return std::shared_ptr<const MappedFile>(new MappedFile({static_cast<const char*>(start), size}));
}

void MappedFile::releasePages(const void* start, std::size_t bytes)
{
    const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    const auto first = (reinterpret_cast<std::uintptr_t>(start) + page - 1) / page * page;
    const auto end = (reinterpret_cast<std::uintptr_t>(start) + bytes) / page * page;
    if (first < end) // without effect the pages merely stay
        ::madvise(reinterpret_cast<void*>(first), end - first, MADV_DONTNEED);
}

MappedFile::~MappedFile()
{
    if (!m_bytes.empty())
        ::munmap(const_cast<char*>(m_bytes.data()), m_bytes.size());
}

} // namespace trainyard
