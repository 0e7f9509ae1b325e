#include "engine/checkpoint/format/direct_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

#include "engine/base/check.h"

namespace trainyard {

namespace {

constexpr std::size_t kPiece = std::size_t{8} << 20;
constexpr std::size_t kBlock = 4096; ///< what O_DIRECT wants addresses, offsets and sizes to be multiples of

} // namespace

void DirectFile::Free::operator()(std::byte* buffer) const
{
    std::free(buffer);
}

Result<DirectFile> DirectFile::create(const std::filesystem::path& path, std::size_t bytes)
{
    FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (!file.valid())
        return systemError(ErrorKind::Failed, "cannot write " + path.string(), errno);
    // Where these two are refused, writing works all the same, or says why not.
    (void)::fallocate(file.get(), 0, 0, static_cast<off_t>(bytes));
    (void)::fcntl(file.get(), F_SETFL, O_DIRECT);
    return DirectFile(path, std::move(file));
}

DirectFile::DirectFile(std::filesystem::path path, FileDescriptor file)
    : m_path(std::move(path))
    , m_file(std::move(file))
    , m_buffer(static_cast<std::byte*>(std::aligned_alloc(kBlock, kPiece)))
{
    TRAINYARD_CHECK(m_buffer != nullptr);
}

Status DirectFile::append(std::span<const std::byte> bytes)
{
    while (!bytes.empty()) {
        const std::size_t part = std::min(bytes.size(), kPiece - m_buffered);
        std::memcpy(m_buffer.get() + m_buffered, bytes.data(), part);
        m_buffered += part;
        bytes = bytes.subspan(part);
        if (m_buffered == kPiece)
            TRAINYARD_TRY_STATUS(write(kPiece));
    }
    return {};
}

// Writes the first bytes of the buffer and empties it.
Status DirectFile::write(std::size_t bytes)
{
    m_written += std::exchange(m_buffered, 0);
    const ssize_t put = ::write(m_file.get(), m_buffer.get(), bytes);
    if (put == static_cast<ssize_t>(bytes))
        return {};
    // Through the page cache, whatever the reason: it goes on in the middle of a block, or says what is
    // wrong.
    (void)::fcntl(m_file.get(), F_SETFL, 0);
    const std::size_t done = put > 0 ? static_cast<std::size_t>(put) : 0;
    return writeAll(m_file.get(), {reinterpret_cast<const char*>(m_buffer.get()) + done, bytes - done},
                    m_path);
}

Status DirectFile::finish()
{
    const std::size_t padded = (m_buffered + kBlock - 1) / kBlock * kBlock;
    std::memset(m_buffer.get() + m_buffered, 0, padded - m_buffered);
    TRAINYARD_TRY_STATUS(write(padded));
    if (::ftruncate(m_file.get(), static_cast<off_t>(m_written)) != 0 || ::fsync(m_file.get()) != 0)
        return systemError(ErrorKind::Failed, "cannot write " + m_path.string(), errno);
    return {};
}

} // namespace trainyard
