#include "datasets/prepare/dump_pages.h"

#include "datasets/prepare/article_filter.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kBatchBytes = 256u << 10; // of wiki markup: some milliseconds of work

} // namespace

DumpPages::DumpPages(std::vector<fs::path> dumps, Stage stage, Progress& progress, const CancelFlag& cancel)
    : m_dumps(std::move(dumps)), m_stage(stage), m_progress(progress), m_cancel(cancel)
{
}

Result<DumpPages> DumpPages::open(std::vector<fs::path> dumps, Stage stage, Progress& progress,
                                  const CancelFlag& cancel)
{
    std::uint64_t total = 0;
    for (const fs::path& dump : dumps) {
        // Opened now, so that a misspelt second file does not show after hours of work on the first.
        TRAINYARD_TRY(const PageReader reader, PageReader::open(dump));
        std::error_code ignored;
        total += fs::file_size(dump, ignored);
    }
    progress.start(stage, total);
    return DumpPages(std::move(dumps), stage, progress, cancel);
}

Result<std::optional<Page>> DumpPages::nextArticle()
{
    for (;;) {
        if (!m_reader) {
            if (m_nextDump == m_dumps.size())
                return std::optional<Page>();
            TRAINYARD_TRY(m_reader, PageReader::open(m_dumps[m_nextDump++]));
        }
        TRAINYARD_TRY(std::optional<Page> page, m_reader->next());
        showOffset();
        if (!page) {
            m_bytesBefore += m_reader->fileOffset();
            m_reader.reset();
            continue;
        }
        m_progress.count(m_stage, "pages", 1);
        const char* reason = reasonToSkip(*page);
        if (!reason)
            return page;
        m_progress.count(m_stage, reason, 1);
    }
}

void DumpPages::showOffset()
{
    m_progress.set(m_stage, m_bytesBefore + m_reader->fileOffset());
}

Result<std::optional<std::vector<Page>>> DumpPages::nextBatch()
{
    std::vector<Page> batch;
    for (std::size_t bytes = 0; bytes < kBatchBytes;) {
        TRAINYARD_TRY_STATUS(m_cancel.check());
        TRAINYARD_TRY(std::optional<Page> page, nextArticle());
        if (!page)
            break;
        bytes += page->text.size();
        batch.push_back(std::move(*page));
    }
    if (batch.empty())
        return std::optional<std::vector<Page>>();
    return std::optional(std::move(batch));
}

} // namespace trainyard
