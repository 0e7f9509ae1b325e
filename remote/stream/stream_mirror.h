#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/file.h"
#include "engine/base/result.h"
#include "engine/records/journal.h"

namespace trainyard {

/// The local copy of one stream, byte for byte as far as it goes. It holds only whole, checked frames while
/// it is open, so its length is the position to continue from: no separate offset can get out of step. Bytes
/// torn by a crash or damaged are cut when the mirror is opened, and fetched again.
///
/// The first process to open a file writes it (a lock that ends with the process); others keep the later
/// bytes of the stream in memory only.
class StreamMirror {
public:
    static Result<StreamMirror> open(const std::filesystem::path& file);

    /// Returns the next records that the file had when it was opened, about 1 MiB of them; empty = all are
    /// out. A journal of another version is set aside.
    Result<std::vector<Record>> replayMore();
    bool replayed() const { return m_replayed; }

    /// Takes bytes that follow validBytes() and returns the records that they complete. Requires replayed().
    /// A full disk costs the copy, not the records; see lastWriteError().
    Result<std::vector<Record>> append(std::string_view bytes);
    /// A connection broke in the middle of a frame: the next bytes are those at validBytes().
    void dropPartialFrame();
    const Status& lastWriteError() const { return m_writeStatus; }

    std::uint64_t validBytes() const { return m_parser.validBytes(); }
    /// Returns the end of the records that have been handed out.
    JournalEnd end() const { return {m_parser.validBytes(), m_parser.lastSequence(), {}}; }
    /// Returns the last bytes, at most `limit`, to compare with the host's.
    std::string_view lastBytes() const { return m_lastBytes; }

    /// Keeps the file as `<name>.orig` (replacing an older one) and starts over with an empty mirror.
    Status setAside();

    static constexpr std::size_t kComparedBytes = 4096;

private:
    StreamMirror(std::filesystem::path path, FileDescriptor file, bool writer);
    void accept(std::string_view bytes);
    Status forgetDamage();
    Status cutTail();

    std::filesystem::path m_path;
    FileDescriptor m_file;
    bool m_writer;
    bool m_replayed = false;
    std::uint64_t m_read = 0; ///< of the file, while it is replayed
    JournalParser m_parser;
    std::string m_lastBytes; ///< the valid ones, at most kComparedBytes
    Status m_writeStatus;
};

} // namespace trainyard
