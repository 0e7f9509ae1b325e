#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>

#include "engine/base/file.h"
#include "engine/base/result.h"
#include "engine/base/units.h"

namespace trainyard::agent {

/// An upload is resumed in units of this size.
constexpr std::size_t kBlock = 1 * kMiB;

/// The checksums of a partial blob's blocks (XXH3-64, 16 hex digits each), taken as the blocks arrived. They
/// make the prefix of an interrupted upload trustworthy: its length alone proves nothing after a crash or a
/// flipped bit.
class BlockSums {
public:
    static Result<BlockSums> open(const std::filesystem::path& path);
    /// Opens existing sums for verify() only; without them nothing matches.
    static BlockSums read(const std::filesystem::path& path);

    /// Adds the sum of the next block; only the last one may be shorter than kBlock.
    Status append(std::string_view block);
    Status truncate(std::uint64_t blocks);

    /// Reads `data` block by block while each matches its sum, up to `limit` bytes or the end of the file,
    /// and passes every good block to `take`. Returns the number of matching bytes.
    Result<std::uint64_t> verify(int data, std::uint64_t limit,
                                 const std::function<void(std::string_view)>& take) const;

private:
    BlockSums(FileDescriptor file, std::filesystem::path path)
        : m_file(std::move(file)), m_path(std::move(path))
    {
    }

    FileDescriptor m_file;
    std::filesystem::path m_path;
};

} // namespace trainyard::agent
