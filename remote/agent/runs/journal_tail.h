#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "engine/base/file.h"
#include "engine/base/result.h"

namespace trainyard::agent {

/// Reads a journal while it is being written and returns whole records only, never a torn tail, which its
/// writer cuts later. Buffers no more than it returns.
class JournalTail {
public:
    /// `offset` is 0 or the end of a whole record. The file need not exist yet.
    JournalTail(std::filesystem::path file, std::uint64_t offset) : m_path(std::move(file)), m_offset(offset)
    {
    }

    /// Returns the next whole records, about `most` bytes of them (a single one may be longer); empty when
    /// there are no new ones. Failed when the file is shorter than the offset or no record starts there; the
    /// latter once, until the file changes.
    Result<std::string> read(std::size_t most);
    std::uint64_t offset() const { return m_offset; }

private:
    /// Changes whenever the file changes.
    struct FileStamp {
        std::uint64_t size = 0;
        std::int64_t seconds = 0;
        std::int64_t nanoseconds = 0;
        bool operator==(const FileStamp&) const = default;
    };

    /// The next read opens the file again: a network file system may find it then.
    Error lost(int errorNumber);

    std::filesystem::path m_path;
    std::uint64_t m_offset;
    FileStamp m_nothing; ///< the file as it was when it had no whole record behind the offset
    FileDescriptor m_file;
};

} // namespace trainyard::agent
