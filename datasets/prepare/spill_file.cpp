#include "datasets/prepare/spill_file.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace trainyard {

SpillFile::SpillFile(FileDescriptor file, std::filesystem::path path, std::size_t bufferBytes)
    : m_file(std::move(file)), m_path(std::move(path)), m_bufferBytes(bufferBytes)
{
}

Result<SpillFile> SpillFile::create(const std::filesystem::path& path, std::size_t bufferBytes)
{
    FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!file.valid())
        return systemError(ErrorKind::Failed, "cannot create the temporary file " + path.string(), errno);
    return SpillFile(std::move(file), path, bufferBytes);
}

Status SpillFile::append(std::string_view bytes)
{
    m_buffer.append(bytes);
    m_size += bytes.size();
    if (m_buffer.size() >= m_bufferBytes)
        return flush();
    return {};
}

Status SpillFile::flush()
{
    TRAINYARD_TRY_STATUS(writeAll(m_file.get(), m_buffer, m_path));
    m_buffer.clear();
    return {};
}

Status SpillFile::close()
{
    TRAINYARD_TRY_STATUS(flush());
    m_buffer.shrink_to_fit();
    m_file.reset();
    return {};
}

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

} // namespace trainyard
