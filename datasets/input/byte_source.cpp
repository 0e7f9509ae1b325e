#include "datasets/input/byte_source.h"

#include "datasets/input/archives.h"
#include "datasets/input/bzip2_source.h"
#include "datasets/input/gzip_source.h"
#include "datasets/input/raw_file.h"
#include "datasets/input/utf16_source.h"
#include "datasets/input/zstd_source.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kReadBytes = 1 << 18;

class PlainSource final : public ByteSource {
public:
    explicit PlainSource(RawFile file) : m_file(std::move(file)) {}

    Result<std::optional<ByteChunk>> next() override
    {
        ByteChunk chunk{std::string(kReadBytes, '\0'), m_file.offset(), 0};
        TRAINYARD_TRY(const std::size_t got, m_file.read(chunk.bytes));
        if (got == 0)
            return std::optional<ByteChunk>();
        chunk.bytes.resize(got);
        return std::optional(std::move(chunk));
    }
    std::uint64_t fileOffset() const override { return m_file.offset(); }

private:
    RawFile m_file;
};

Result<std::unique_ptr<ByteSource>> decompressing(RawFile file, std::shared_ptr<ThreadBudget> threads,
                                                  std::uint64_t restart)
{
    TRAINYARD_TRY(const std::string_view head, file.peek(kArchiveHeadBytes));
    TRAINYARD_TRY_STATUS(refuseArchives(head, file.name()));
    if (Bzip2Source::recognizes(head))
        return Bzip2Source::open(std::move(file), std::move(threads), restart);
    if (GzipSource::recognizes(head))
        return GzipSource::open(std::move(file));
    if (ZstdSource::recognizes(head))
        return ZstdSource::open(std::move(file));
    if (restart > 0)
        TRAINYARD_TRY_STATUS(file.seek(restart));
    return std::unique_ptr<ByteSource>(std::make_unique<PlainSource>(std::move(file)));
}

} // namespace

Result<std::unique_ptr<ByteSource>> openBytes(const fs::path& path, const ReadingMeans& means,
                                              std::uint64_t restart)
{
    TRAINYARD_TRY(RawFile file, RawFile::open(path, means.stopped));
    const std::string name = file.name();
    TRAINYARD_TRY(std::unique_ptr<ByteSource> source, decompressing(std::move(file), means.threads, restart));
    if (restart > 0)
        return source; // UTF-16 has no places to restart at
    auto text = asUtf8(std::move(source));
    if (!text.ok())
        return text.error().in(name);
    return text;
}

} // namespace trainyard
