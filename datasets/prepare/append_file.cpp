#include "datasets/prepare/append_file.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace trainyard {

namespace fs = std::filesystem;

AppendFile::AppendFile(FileDescriptor file, fs::path path, std::uint64_t size)
    : m_file(std::move(file)), m_path(std::move(path)), m_size(size)
{
}

Result<AppendFile> AppendFile::create(const fs::path& path)
{
    FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!file.valid())
        return systemError(ErrorKind::Failed, "cannot create the temporary file " + path.string(), errno);
    return AppendFile(std::move(file), path, 0);
}

Result<AppendFile> AppendFile::resume(const fs::path& path, std::uint64_t size)
{
    FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    struct stat facts {};
    if (!file.valid() || ::fstat(file.get(), &facts) != 0)
        return systemError(ErrorKind::Failed, "cannot resume " + path.string(), errno);
    if (static_cast<std::uint64_t>(facts.st_size) < size)
        return failed(path.string() + " is shorter than recorded by an earlier run",
                      "run the command again; it will start from the beginning");
    const auto end = static_cast<off_t>(size);
    if (::ftruncate(file.get(), end) != 0 || ::lseek(file.get(), end, SEEK_SET) != end)
        return systemError(ErrorKind::Failed, "cannot resume " + path.string(), errno);
    return AppendFile(std::move(file), path, size);
}

Result<AppendFile> AppendFile::closed(const fs::path& path, std::uint64_t size)
{
    struct stat facts {};
    if (::stat(path.c_str(), &facts) != 0)
        return systemError(ErrorKind::BadInput, "cannot inspect " + path.string(), errno);
    if (static_cast<std::uint64_t>(facts.st_size) != size)
        return badInput(path.string() + " does not have the recorded size", "copy or create it again");
    return AppendFile(FileDescriptor(), path, size);
}

Status AppendFile::append(std::string_view bytes)
{
    m_buffer.append(bytes);
    m_size += bytes.size();
    if (m_buffer.size() >= kBufferBytes)
        return flush();
    return {};
}

Status AppendFile::flush()
{
    TRAINYARD_TRY_STATUS(writeAll(m_file.get(), m_buffer, m_path));
    m_buffer.clear();
    return {};
}

Status AppendFile::sync()
{
    TRAINYARD_TRY_STATUS(flush());
    if (::fdatasync(m_file.get()) != 0)
        return systemError(ErrorKind::Failed, "cannot write " + m_path.string(), errno);
    return {};
}

Status AppendFile::close()
{
    TRAINYARD_TRY_STATUS(flush());
    m_buffer.shrink_to_fit();
    m_file.reset();
    return {};
}

} // namespace trainyard
