#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "engine/base/file.h"
#include "engine/base/result.h"

namespace trainyard {

/// A file of a job that is written from front to end through a buffer, and that a later process can take up
/// where this one made sure of it. One thread at a time.
class AppendFile {
public:
    static constexpr std::size_t kBufferBytes = 256u << 10;

    /// Failed when there is such a file already.
    static Result<AppendFile> create(const std::filesystem::path& path);
    /// Keeps the first `size` bytes of what an earlier process wrote. Failed when there are fewer.
    static Result<AppendFile> resume(const std::filesystem::path& path, std::uint64_t size);
    /// One that is closed already: its name and size. Failed when it has another size.
    static Result<AppendFile> closed(const std::filesystem::path& path, std::uint64_t size);

    Status append(std::string_view bytes);
    template <typename Value>
    Status append(std::span<const Value> values)
    {
        return append(std::string_view(reinterpret_cast<const char*>(values.data()), values.size_bytes()));
    }
    /// Everything appended so far is on the disk when it returns.
    Status sync();
    /// Writes what is buffered and gives the descriptor and the buffer back; nothing can be appended any
    /// more.
    Status close();

    std::uint64_t size() const { return m_size; } ///< buffered bytes included
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
