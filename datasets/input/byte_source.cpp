#include "datasets/input/byte_source.h"

#include <array>
#include <string_view>

#include <fmt/format.h>

#include "datasets/input/bzip2_source.h"
#include "datasets/input/gzip_source.h"
#include "datasets/input/raw_file.h"
#include "datasets/input/utf16_source.h"

namespace trainyard {

namespace fs = std::filesystem;
using namespace std::string_view_literals;

namespace {

constexpr std::size_t kReadBytes = 1 << 18;
constexpr std::size_t kHeadBytes = 512; ///< a tar archive shows itself at byte 257

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

/// What is packed in a way that is not read here.
Status refuseArchives(std::string_view head, const std::string& name)
{
    struct Archive {
        std::string_view magic;
        std::size_t at;
        const char* what;
        const char* hint;
    };
    static constexpr std::array kArchives{
        Archive{"7z\xBC\xAF\x27\x1C"sv, 0, "a 7z archive",
                "unpack it first: 7z x FILE; or pipe it: 7z x -so FILE | ... -"},
        Archive{"PK\x03\x04"sv, 0, "a zip archive",
                "unpack it first: unzip FILE; or pipe it: unzip -p FILE | ... -"},
        Archive{"\xFD"
                "7zXZ\0"sv,
                0, "compressed by xz", "pipe it: xz -dc FILE | ... -"},
        Archive{"\x28\xB5\x2F\xFD"sv, 0, "compressed by zstd", "pipe it: zstd -dc FILE | ... -"},
        Archive{"ustar"sv, 257, "a tar archive", "unpack it first: tar xf FILE"},
        Archive{"\x89HDF\r\n"sv, 0, "an HDF5 file", "give the text that it was made from"},
    };
    for (const Archive& archive : kArchives) {
        if (head.size() > archive.at && head.substr(archive.at).starts_with(archive.magic))
            return badInput(fmt::format("{} is {}", name, archive.what), archive.hint);
    }
    return {};
}

Result<std::unique_ptr<ByteSource>> decompressing(RawFile file, std::shared_ptr<ThreadBudget> threads,
                                                  std::uint64_t restart)
{
    TRAINYARD_TRY(const std::string_view head, file.peek(kHeadBytes));
    TRAINYARD_TRY_STATUS(refuseArchives(head, file.name()));
    if (Bzip2Source::recognizes(head))
        return Bzip2Source::open(std::move(file), std::move(threads), restart);
    if (GzipSource::recognizes(head))
        return GzipSource::open(std::move(file));
    if (restart > 0)
        TRAINYARD_TRY_STATUS(file.seek(restart));
    return std::unique_ptr<ByteSource>(std::make_unique<PlainSource>(std::move(file)));
}

} // namespace

Result<std::unique_ptr<ByteSource>> openBytes(const fs::path& path, std::shared_ptr<ThreadBudget> threads,
                                              std::uint64_t restart)
{
    TRAINYARD_TRY(RawFile file, RawFile::open(path));
    const std::string name = file.name();
    TRAINYARD_TRY(std::unique_ptr<ByteSource> source,
                  decompressing(std::move(file), std::move(threads), restart));
    if (restart > 0)
        return source; // UTF-16 has no places to restart at
    auto text = asUtf8(std::move(source));
    if (!text.ok())
        return text.error().in(name);
    return text;
}

} // namespace trainyard
