#include "remote/agent/store/block_sums.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/hash.h"

namespace trainyard::agent {

namespace {

constexpr std::size_t kSumDigits = 16; // xxh3Hex: text, so that a person can look at it

/// Reads exactly buffer.size() bytes; false at the end of the file or on an error, which both end the good
/// prefix.
bool readFully(int fd, std::string& buffer, std::uint64_t offset)
{
    std::size_t got = 0;
    while (got < buffer.size()) {
        const ssize_t n =
            ::pread(fd, buffer.data() + got, buffer.size() - got, static_cast<off_t>(offset + got));
        if (n <= 0 && !(n < 0 && errno == EINTR))
            return false;
        got += n > 0 ? static_cast<std::size_t>(n) : 0;
    }
    return true;
}

} // namespace

Result<BlockSums> BlockSums::open(const std::filesystem::path& path)
{
    FileDescriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!file.valid())
        return systemError(ErrorKind::Failed, "cannot open " + path.string(), errno);
    return BlockSums(std::move(file), path);
}

BlockSums BlockSums::read(const std::filesystem::path& path)
{
    return BlockSums(FileDescriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)), path);
}

Status BlockSums::append(std::string_view block)
{
    return writeAll(m_file.get(), xxh3Hex(block), m_path);
}

Status BlockSums::truncate(std::uint64_t blocks)
{
    if (::ftruncate(m_file.get(), static_cast<off_t>(blocks * kSumDigits)) != 0)
        return systemError(ErrorKind::Failed, "cannot truncate " + m_path.string(), errno);
    return {};
}

Result<std::uint64_t> BlockSums::verify(int data, std::uint64_t limit,
                                        const std::function<void(std::string_view)>& take) const
{
    struct stat info {};
    if (::fstat(data, &info) != 0)
        return systemError(ErrorKind::Failed,
                           "cannot read the size of the part that " + m_path.string() + " sums", errno);
    const std::uint64_t end = std::min(limit, static_cast<std::uint64_t>(info.st_size));
    std::string block;
    std::string sum(kSumDigits, '\0');
    std::uint64_t good = 0;
    while (good < end) {
        block.resize(std::min<std::uint64_t>(kBlock, end - good));
        if (!readFully(m_file.get(), sum, good / kBlock * kSumDigits) || !readFully(data, block, good) ||
            xxh3Hex(block) != sum)
            break;
        take(block);
        good += block.size();
    }
    return good;
}

} // namespace trainyard::agent
