#pragma once

#include <bit>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>

#include "engine/base/file.h"
#include "engine/base/hash.h"
#include "engine/base/result.h"

namespace trainyard {

// The exported formats are little-endian, and numbers are written as stored in memory.
static_assert(std::endian::native == std::endian::little);

/// Called after each piece of work with its number of documents or rows; an error ends the work.
using PieceDone = std::function<Status(std::uint64_t count)>;

/// Size and hash of a finished file.
struct FileDigest {
    std::uint64_t bytes = 0;
    std::string sha256;
};

/// A new file, written once from start to end through a buffer and hashed on the way. One thread at a time.
class OutputFile {
public:
    /// Failed if the file exists.
    static Result<OutputFile> create(const std::filesystem::path& path);

    Status append(std::string_view bytes);
    template <typename Number>
    Status append(std::span<const Number> numbers)
    {
        return append(std::string_view(reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()));
    }
    template <typename Number>
    Status appendNumber(Number number)
    {
        return append(std::span<const Number>(&number, 1));
    }
    /// Closes the file; no append() may follow.
    Result<FileDigest> close();

    const std::filesystem::path& path() const { return m_path; }

private:
    OutputFile(FileDescriptor file, std::filesystem::path path);
    Status flush();

    FileDescriptor m_file;
    std::filesystem::path m_path;
    std::string m_buffer;
    Sha256 m_hash;
    std::uint64_t m_bytes = 0;
};

} // namespace trainyard
