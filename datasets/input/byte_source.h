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

/// Some consecutive bytes of a file's text.
struct ByteChunk {
    std::string bytes;         ///< not empty
    std::uint64_t restart = 0; ///< what to open the file at, to get these bytes again ...
    std::uint64_t skip = 0;    ///< ... behind so many others
};

/// The text of a file, decompressed, from first to last. One thread at a time.
class ByteSource {
public:
    virtual ~ByteSource() = default;

    /// Nothing at the end. BadInput when the file is damaged or ends too early; the message does not name it.
    virtual Result<std::optional<ByteChunk>> next() = 0;
    /// Bytes of the file behind which next() has come, for progress.
    virtual std::uint64_t fileOffset() const = 0;
};

/// What all files of a corpus are read with.
struct ReadingMeans {
    std::shared_ptr<ThreadBudget> threads; ///< that decompress
    StopAsked stopped;                     ///< see RawFile
};

/// Opens a plain file, or one compressed by gzip or bzip2; the first bytes decide, not the name. Either may
/// consist of several members or streams; bzip2 is decompressed by many threads. UTF-16 becomes UTF-8.
/// `restart` is 0 or that of a chunk. BadInput, with what to do, for archives and pictures of other kinds;
/// messages name the file.
Result<std::unique_ptr<ByteSource>> openBytes(const std::filesystem::path& file, const ReadingMeans& means,
                                              std::uint64_t restart = 0);

} // namespace trainyard
