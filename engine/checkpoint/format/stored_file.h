#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "engine/base/file.h"
#include "engine/base/result.h"

namespace trainyard {

/// A file of a checkpoint. Everywhere in this folder, errors distinguish two faults:
///     BadInput   the content is wrong: the file is missing, too short, or no file. The checkpoint is
///     damaged. Failed     the file system does not let us read (EACCES, EIO, ESTALE, ...). The checkpoint
///     may be whole.
class StoredFile {
public:
    static Result<StoredFile> open(const std::filesystem::path& path);

    std::uint64_t size() const { return m_size; }
    const std::filesystem::path& path() const { return m_path; }
    /// Fills `out` with the bytes from `offset` on.
    Status read(std::uint64_t offset, std::span<std::byte> out) const;
    Result<std::string> content() const;

private:
    StoredFile(std::filesystem::path path, FileDescriptor file, std::uint64_t size);

    std::filesystem::path m_path;
    FileDescriptor m_file;
    std::uint64_t m_size;
};

} // namespace trainyard
