#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "datasets/input/page_reader.h"
#include "datasets/prepare/cancel_flag.h"
#include "datasets/prepare/progress.h"

namespace trainyard {

/// The articles of one or several dumps in batches, ready to be worked on in parallel. Counts what it leaves
/// out. One thread at a time.
class DumpPages {
public:
    /// Advances `stage` by the bytes of the files.
    static Result<DumpPages> open(std::vector<std::filesystem::path> dumps, Stage stage, Progress& progress,
                                  const CancelFlag& cancel);

    /// Some pages; nothing after the last one. Cancelled when the flag is set.
    Result<std::optional<std::vector<Page>>> nextBatch();

private:
    DumpPages(std::vector<std::filesystem::path> dumps, Stage stage, Progress& progress,
              const CancelFlag& cancel);
    /// The next article of any dump.
    Result<std::optional<Page>> nextArticle();
    void showOffset();

    std::vector<std::filesystem::path> m_dumps;
    std::size_t m_nextDump = 0;
    std::optional<PageReader> m_reader;
    std::uint64_t m_bytesBefore = 0; ///< of the dumps that are read whole
    Stage m_stage;
    Progress& m_progress;
    const CancelFlag& m_cancel;
};

} // namespace trainyard
