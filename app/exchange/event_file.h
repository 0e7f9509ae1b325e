#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "app/exchange/event_message.h"
#include "engine/base/file.h"
#include "engine/base/result.h"

namespace trainyard {

/// Result of reading an event file.
struct EventFileEnd {
    std::uint64_t bytes = 0; ///< read whole: complete records
    bool isTorn = false;     ///< it ends within a record, as that of a run that is being written
    bool isDamaged = false;  ///< a checksum or a message is wrong at `bytes`; what follows was not read
};

/// Reads a TFRecord file of events: length (u64), its masked CRC-32C (u32), message, its masked CRC-32C.
/// Messages may have any size; they are not copied. `goesOn` gets the completed share and returns false to
/// stop (Cancelled). BadInput if the file is missing.
Result<EventFileEnd> readEventFile(const std::filesystem::path& file,
                                   const std::function<void(const EventMessage&)>& take,
                                   const std::function<bool(double share)>& goesOn = {});

/// Writes such a file. One thread.
class EventFileWriter {
public:
    /// Creates `events.out.tfevents.<seconds>.trainyard` in the folder, which is created too, and writes its
    /// first event.
    static Result<EventFileWriter> create(const std::filesystem::path& folder, double wallSeconds);

    Status append(std::string_view message);
    Status finish();
    const std::filesystem::path& path() const { return m_path; }

private:
    EventFileWriter(std::filesystem::path path, FileDescriptor file)
        : m_path(std::move(path)), m_file(std::move(file))
    {
    }
    Status flush();

    std::filesystem::path m_path;
    FileDescriptor m_file;
    std::string m_buffer;
};

} // namespace trainyard
