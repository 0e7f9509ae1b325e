#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "datasets/input/raw_file.h"
#include "datasets/input/thread_budget.h"
#include "engine/base/result.h"

namespace trainyard {

/// Consecutive bytes of a file's text.
struct ByteChunk {
    std::string bytes;         ///< not empty
    std::uint64_t restart = 0; ///< offset to open the file at to read these bytes again
    std::uint64_t skip = 0;    ///< bytes of text between `restart` and `bytes`
};

/// Reads the decompressed text of a file from start to end. One thread at a time.
class ByteSource {
public:
    virtual ~ByteSource() = default;

    /// Returns nullopt at the end. BadInput if the file is damaged or truncated; the message does not name
    /// it.
    virtual Result<std::optional<ByteChunk>> next() = 0;
    /// Returns the offset in the file that next() has reached, for progress.
    virtual std::uint64_t fileOffset() const = 0;
};

/// Shared by the readers of all files of a corpus.
struct ReadingMeans {
    std::shared_ptr<ThreadBudget> threads; ///< for decompression
    StopAsked stopped;                     ///< see RawFile
};

/// Opens a plain file or one compressed by gzip, Zstandard or bzip2; its first bytes decide, not its name.
/// Files with several members or streams are supported; bzip2 is decompressed by many threads. UTF-16 is
/// converted to UTF-8. `restart` is 0 or that of a chunk. BadInput with a hint for archives, images and other
/// formats; messages name the file.
Result<std::unique_ptr<ByteSource>> openBytes(const std::filesystem::path& file, const ReadingMeans& means,
                                              std::uint64_t restart = 0);

} // namespace trainyard
