#include "datasets/exporters/output_file.h"

#include <cerrno>
#include <fcntl.h>

namespace trainyard {

namespace {

constexpr std::size_t kBufferBytes = 256u << 10;

} // namespace

OutputFile::OutputFile(FileDescriptor file, std::filesystem::path path)
    : m_file(std::move(file)), m_path(std::move(path))
{
}

Result<OutputFile> OutputFile::create(const std::filesystem::path& path)
{
    FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
    if (!file.valid()) {
        Error error = systemError(ErrorKind::Failed, "cannot create " + path.string(), errno);
        error.hint = "choose a folder with free space and write permission";
        return error;
    }
    return OutputFile(std::move(file), path);
}

Status OutputFile::append(std::string_view bytes)
{
    m_buffer.append(bytes);
    m_bytes += bytes.size();
    return m_buffer.size() < kBufferBytes ? Status() : flush();
}

Status OutputFile::flush()
{
    m_hash.update(m_buffer);
    TRAINYARD_TRY_STATUS(writeAll(m_file.get(), m_buffer, m_path));
    m_buffer.clear();
    return {};
}

Result<FileDigest> OutputFile::close()
{
    TRAINYARD_TRY_STATUS(flush());
    m_file.reset();
    return FileDigest{m_bytes, m_hash.hexDigest()};
}

} // namespace trainyard
