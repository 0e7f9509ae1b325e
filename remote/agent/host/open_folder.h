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

/// A folder that is looked into and cleared out from its open descriptor: whatever happens to its path
/// meanwhile, and whatever links lie in it, nothing outside of it is reached. Names given are plain
/// (isPlainName); others are not found. One thread at a time.
class OpenFolder {
public:
    /// `path` may not be a link itself.
    static Result<OpenFolder> open(const std::filesystem::path& path);

    /// Nothing when there is none or it is a link.
    std::optional<OpenFolder> folder(const std::string& name) const;
    /// Without "." and ".."; in the order of the bytes.
    std::vector<std::string> names() const;
    /// Of the name itself, not of what a link leads to.
    std::optional<struct stat> info(const std::string& name) const;

    /// Never replaces anything.
    bool rename(const std::string& from, const std::string& to) const;
    /// The bytes that became free: 0 for a file that has further names, or that is not removed.
    std::uint64_t removeFile(const std::string& name) const;
    /// With everything in it; links are removed, not followed.
    std::uint64_t removeTree(const std::string& name) const;

private:
    explicit OpenFolder(FileDescriptor folder) : m_folder(std::move(folder)) {}

    FileDescriptor m_folder;
};

} // namespace trainyard::agent
