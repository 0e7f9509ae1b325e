#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

#include "engine/base/file.h"
#include "engine/base/result.h"

namespace trainyard {

/// A new file, written from front to back in large pieces past the page cache (O_DIRECT) where the file
/// system allows it: several times as fast for hundreds of megabytes as the cache and fsync, and evicts
/// nothing from the cache. Not published: the caller renames it. One thread.
class DirectFile {
public:
    /// Replaces a file of that name and reserves room for `bytes`.
    static Result<DirectFile> create(const std::filesystem::path& path, std::size_t bytes);

    Status append(std::span<const std::byte> bytes);
    Status append(std::string_view text) { return append(std::as_bytes(std::span(text))); }
    /// Returns when everything is on the disk. Call once, last.
    Status finish();

private:
    struct Free {
        void operator()(std::byte* buffer) const;
    };
    DirectFile(std::filesystem::path path, FileDescriptor file);
    Status write(std::size_t bytes);

    std::filesystem::path m_path;
    FileDescriptor m_file;
    std::unique_ptr<std::byte, Free> m_buffer;
    std::size_t m_buffered = 0;
    std::size_t m_written = 0;
};

} // namespace trainyard
