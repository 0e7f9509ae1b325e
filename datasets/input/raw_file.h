#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "engine/base/file.h"

namespace trainyard {

/// Name of a file in messages; "-" is standard input.
std::string nameForMessages(const std::filesystem::path& path);

/// Returns true if the user wants to stop reading; called from any thread.
using StopAsked = std::function<bool()>;

/// Reads the bytes of a file as stored, from start to end. One thread at a time.
class RawFile {
public:
    /// "-" is standard input; pipes are supported. BadInput if the file is missing, not readable, a folder or
    /// empty. `stopped` is polled while a pipe or terminal has no data; if it returns true, reading ends with
    /// Cancelled.
    static Result<RawFile> open(
        const std::filesystem::path& path, StopAsked stopped = [] { return false; });

    /// Returns up to this many of the next bytes without consuming them; fewer at the end.
    Result<std::string_view> peek(std::size_t bytes);
    /// Fills `buffer`, or only its front at the end of the file.
    Result<std::size_t> read(std::span<char> buffer);
    /// Continues at this byte. Requires seekable().
    Status seek(std::uint64_t offset);

    bool seekable() const { return m_size > 0; }
    std::uint64_t size() const { return m_size; } ///< 0 = unknown
    std::uint64_t offset() const { return m_offset; }
    const std::string& name() const { return m_name; } ///< for messages

private:
    RawFile(FileDescriptor file, std::string name, StopAsked stopped)
        : m_file(std::move(file)), m_name(std::move(name)), m_stopped(std::move(stopped))
    {
    }
    Status waitForBytes() const;
    Result<std::size_t> readFromSystem(std::span<char> buffer);

    FileDescriptor m_file;
    std::string m_name;
    StopAsked m_stopped;
    bool m_waits = true;  ///< reading may block until others write
    std::string m_peeked; ///< bytes read ahead by peek()
    std::uint64_t m_offset = 0;
    std::uint64_t m_size = 0;
};

} // namespace trainyard
