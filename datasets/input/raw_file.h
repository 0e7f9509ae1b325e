#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "engine/base/file.h"

namespace trainyard {

/// How messages call a file; "-" is the standard input.
std::string nameForMessages(const std::filesystem::path& path);

/// True when the user wants reading to end; any thread asks.
using StopAsked = std::function<bool()>;

/// The bytes of a file as they lie there, from first to last. One thread at a time.
class RawFile {
public:
    /// "-" is the standard input; pipes are fine. BadInput when there is nothing to read: missing, forbidden,
    /// a folder, empty. `stopped` is asked while a pipe or terminal has nothing to read; then reading ends
    /// with Cancelled.
    static Result<RawFile> open(
        const std::filesystem::path& path, StopAsked stopped = [] { return false; });

    /// Up to so many bytes from where reading is, without moving on; fewer at the end.
    Result<std::string_view> peek(std::size_t bytes);
    /// Fills `buffer`, or its front at the end of the file.
    Result<std::size_t> read(std::span<char> buffer);
    /// Goes on at this byte; only when seekable().
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
    bool m_waits = true;  ///< reading may wait for others to write
    std::string m_peeked; ///< read from the system, but not by the user
    std::uint64_t m_offset = 0;
    std::uint64_t m_size = 0;
};

} // namespace trainyard
