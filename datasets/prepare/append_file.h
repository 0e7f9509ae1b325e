#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "engine/base/file.h"
#include "engine/base/result.h"

namespace trainyard {

/// A file of a job that is appended to through a buffer, and that a later process can resume at the last
/// commit. One thread at a time.
class AppendFile {
public:
    static constexpr std::size_t kBufferBytes = 256u << 10;

    /// Failed if the file exists.
    static Result<AppendFile> create(const std::filesystem::path& path);
    /// Keeps the first `size` bytes written by an earlier process. Failed if there are fewer.
    static Result<AppendFile> resume(const std::filesystem::path& path, std::uint64_t size);
    /// Opens a finished file only for its name and size. Failed if it has another size.
    static Result<AppendFile> closed(const std::filesystem::path& path, std::uint64_t size);

    Status append(std::string_view bytes);
    template <typename Value>
    Status append(std::span<const Value> values)
    {
        return append(std::string_view(reinterpret_cast<const char*>(values.data()), values.size_bytes()));
    }
    /// Returns after everything appended so far is on the disk.
    Status sync();
    /// Writes the buffered bytes and frees the descriptor and the buffer; no append() may follow.
    Status close();

    std::uint64_t size() const { return m_size; } ///< including buffered bytes
    const std::filesystem::path& path() const { return m_path; }

private:
    AppendFile(FileDescriptor file, std::filesystem::path path, std::uint64_t size);
    Status flush();

    FileDescriptor m_file;
    std::filesystem::path m_path;
    std::string m_buffer;
    std::uint64_t m_size = 0;
};

} // namespace trainyard
