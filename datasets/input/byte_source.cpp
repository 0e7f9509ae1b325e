#include "datasets/input/byte_source.h"

#include <array>
#include <bzlib.h>
#include <cerrno>
#include <fcntl.h>
#include <string_view>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>

#include "engine/base/file.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

class PlainFile final : public ByteSource {
public:
    PlainFile(FileDescriptor file, fs::path path) : m_file(std::move(file)), m_path(std::move(path)) {}

    Result<std::size_t> read(std::span<char> buffer) override
    {
        for (;;) {
            const ssize_t got = ::read(m_file.get(), buffer.data(), buffer.size());
            if (got >= 0) {
                m_offset += static_cast<std::uint64_t>(got);
                return static_cast<std::size_t>(got);
            }
            if (errno != EINTR)
                return systemError(ErrorKind::BadInput, "cannot read " + m_path.string(), errno);
        }
    }
    std::uint64_t fileOffset() const override { return m_offset; }

private:
    FileDescriptor m_file;
    fs::path m_path;
    std::uint64_t m_offset = 0;
};

class Bzip2File final : public ByteSource {
public:
    explicit Bzip2File(std::unique_ptr<PlainFile> file) : m_file(std::move(file)), m_input(1 << 18) {}
    ~Bzip2File() override { endStream(); }

    Result<std::size_t> read(std::span<char> buffer) override
    {
        m_stream.next_out = buffer.data();
        m_stream.avail_out = static_cast<unsigned>(buffer.size());
        while (m_stream.avail_out == buffer.size()) {
            TRAINYARD_TRY(const bool more, refill());
            if (!more && !m_inStream)
                return std::size_t{0};
            if (!more)
                return badInput(
                    fmt::format("the compressed data ends in the middle, at byte {}", fileOffset()),
                    "the download is incomplete; fetch the dump again");
            TRAINYARD_TRY_STATUS(decompress());
        }
        return buffer.size() - m_stream.avail_out;
    }
    std::uint64_t fileOffset() const override { return m_file->fileOffset() - m_stream.avail_in; }

private:
    /// False when the file is used up.
    Result<bool> refill()
    {
        if (m_stream.avail_in > 0)
            return true;
        TRAINYARD_TRY(const std::size_t got, m_file->read(m_input));
        m_stream.next_in = m_input.data();
        m_stream.avail_in = static_cast<unsigned>(got);
        return got > 0;
    }
    Status decompress()
    {
        if (!m_inStream) {
            TRAINYARD_CHECK(BZ2_bzDecompressInit(&m_stream, 0, 0) == BZ_OK);
            m_inStream = true;
        }
        const int status = BZ2_bzDecompress(&m_stream);
        if (status == BZ_STREAM_END)
            endStream();
        else if (status != BZ_OK)
            return badInput(fmt::format("the compressed data is damaged near byte {}", fileOffset()),
                            "fetch the dump again and compare its checksum");
        return {};
    }
    void endStream()
    {
        if (m_inStream)
            BZ2_bzDecompressEnd(&m_stream);
        m_inStream = false;
    }

    std::unique_ptr<PlainFile> m_file;
    std::vector<char> m_input;
    bz_stream m_stream{};
    bool m_inStream = false;
};

bool startsAsBzip2(int fd)
{
    std::array<char, 3> magic{};
    return ::pread(fd, magic.data(), magic.size(), 0) == 3 && std::string_view(magic.data(), 3) == "BZh";
}

} // namespace

Result<std::unique_ptr<ByteSource>> openDump(const fs::path& file)
{
    FileDescriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    if (!descriptor.valid()) {
        Error error = systemError(ErrorKind::BadInput, "cannot open the dump " + file.string(), errno);
        error.hint = "check its path and that this user may read it";
        return error;
    }
    std::error_code error;
    if (!fs::is_regular_file(file, error))
        return badInput(file.string() + " is not a file", "name the .xml or .xml.bz2 file of the dump");
    const bool compressed = startsAsBzip2(descriptor.get());
    auto plain = std::make_unique<PlainFile>(std::move(descriptor), file);
    if (compressed)
        return std::unique_ptr<ByteSource>(std::make_unique<Bzip2File>(std::move(plain)));
    return std::unique_ptr<ByteSource>(std::move(plain));
}

} // namespace trainyard
