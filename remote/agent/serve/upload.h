#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "engine/base/result.h"
#include "remote/agent/serve/work_queue.h"
#include "remote/agent/store/part_file.h"

namespace trainyard::agent {

/// One `put`: receives chunks on the event loop; the work queue hashes and writes them, one job at a time and
/// in order. The client's window bounds the memory. Lives on the event loop's thread.
class Upload : public std::enable_shared_from_this<Upload> {
public:
    struct Callbacks {
        std::function<void(std::uint64_t total)> received; ///< bytes behind the offset that are written
        std::function<void(const Status&)> done;           ///< once; stored, or why not
    };

    Upload(BlobStore store, BlobUpload blob, WorkQueue& work, Callbacks callbacks);

    /// Prepares the part file; chunks may arrive immediately.
    void begin() { advance(); }
    void take(std::string_view bytes);
    /// Ends the callbacks; keeps the received bytes for the next upload.
    void cancel() { m_over = true; }

private:
    void advance();
    void runStep(std::function<Status(Upload&)> step, std::uint64_t bytes);
    void end(const Status& status);

    BlobStore m_store;
    BlobUpload m_blob;
    WorkQueue& m_work;
    Callbacks m_callbacks;
    std::unique_ptr<PartFile> m_part; ///< touched by the work while m_busy, by the loop otherwise
    std::string m_pending;
    std::uint64_t m_unwritten = 0; ///< arrived, not yet acknowledged
    std::uint64_t m_written = 0;   ///< acknowledged
    bool m_busy = false;
    bool m_over = false;
};

} // namespace trainyard::agent
