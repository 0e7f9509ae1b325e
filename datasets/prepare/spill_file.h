#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "engine/base/file.h"
#include "engine/base/result.h"

namespace trainyard {

/// A temporary file that is written from front to end through a buffer. One thread at a time.
class SpillFile {
public:
    static Result<SpillFile> create(const std::filesystem::path& path, std::size_t bufferBytes = 1 << 20);

    Status append(std::string_view bytes);
    template <typename Value>
    Status append(std::span<const Value> values)
    {
        return append(std::string_view(reinterpret_cast<const char*>(values.data()), values.size_bytes()));
    }
    Status flush();
    /// Writes what is buffered and gives the descriptor and the buffer back; nothing can be appended any
    /// more.
    Status close();

    std::uint64_t size() const { return m_size; } ///< buffered bytes included
    const std::filesystem::path& path() const { return m_path; }

private:
    SpillFile(FileDescriptor file, std::filesystem::path path, std::size_t bufferBytes);

    FileDescriptor m_file;
    std::filesystem::path m_path;
    std::string m_buffer;
    std::size_t m_bufferBytes;
    std::uint64_t m_size = 0;
};

/// A whole file mapped for reading; its bytes may be read by any thread.
class MappedFile {
public:
    MappedFile() = default;
    static Result<MappedFile> open(const std::filesystem::path& path);
    MappedFile(MappedFile&& other) noexcept;
    MappedFile& operator=(MappedFile&& other) noexcept;
    ~MappedFile();

    std::string_view bytes() const { return m_bytes; }

private:
    std::string_view m_bytes;
};

} // namespace trainyard
