#include "datasets/prepare/mapped_file.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <utility>

#include "engine/base/file.h"

namespace trainyard {

Result<MappedFile> MappedFile::open(const std::filesystem::path& path)
{
    FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat facts {};
    if (!file.valid() || ::fstat(file.get(), &facts) != 0)
        return systemError(ErrorKind::Failed, "cannot open " + path.string(), errno);
    MappedFile mapped;
    if (facts.st_size == 0)
        return mapped;
    const auto size = static_cast<std::size_t>(facts.st_size);
    void* begin = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file.get(), 0);
    if (begin == MAP_FAILED)
        return systemError(ErrorKind::Failed, "cannot map " + path.string(), errno);
    mapped.m_bytes = {static_cast<const char*>(begin), size};
    return mapped;
}

MappedFile::MappedFile(MappedFile&& other) noexcept : m_bytes(std::exchange(other.m_bytes, {})) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept
{
    std::swap(m_bytes, other.m_bytes);
    return *this;
}

MappedFile::~MappedFile()
{
    if (!m_bytes.empty())
        ::munmap(const_cast<char*>(m_bytes.data()), m_bytes.size());
}

void MappedFile::forget() const
{
    if (!m_bytes.empty())
        ::madvise(const_cast<char*>(m_bytes.data()), m_bytes.size(), MADV_DONTNEED);
}

} // namespace trainyard
