#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <sys/stat.h>

#include "engine/base/file.h"
#include "engine/base/result.h"

namespace trainyard::agent {

/// Reads and clears a folder through its open descriptor, so that neither a change of its path nor links
/// inside it can lead outside. Takes plain names (isPlainName) only; others are not found. One thread at a
/// time.
class OpenFolder {
public:
    /// `path` itself may not be a link.
    static Result<OpenFolder> open(const std::filesystem::path& path);

    /// Returns nullopt when there is no such folder or it is a link.
    std::optional<OpenFolder> folder(const std::string& name) const;
    /// Returns the names without "." and "..", in byte order.
    std::vector<std::string> names() const;
    /// Describes the entry itself, not the target of a link.
    std::optional<struct stat> info(const std::string& name) const;

    /// Never replaces an existing entry.
    bool rename(const std::string& from, const std::string& to) const;
    /// Returns the freed bytes: 0 for a file with other hard links, or one that could not be removed.
    std::uint64_t removeFile(const std::string& name) const;
    /// Removes the folder with its content and returns the freed bytes; removes links without following them.
    std::uint64_t removeTree(const std::string& name) const;

private:
    explicit OpenFolder(FileDescriptor folder) : m_folder(std::move(folder)) {}

    FileDescriptor m_folder;
};

/// Renames an entry of `folder` (or a path, with AT_FDCWD) without replacing anything; returns 0 or an errno.
int renameWithoutReplacing(int folder, const std::string& from, const std::string& to);

} // namespace trainyard::agent
