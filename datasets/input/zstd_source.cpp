#include "datasets/input/zstd_source.h"

#include <vector>
#include <zstd.h>
#include <zstd_errors.h>

#include <fmt/format.h>

namespace trainyard {

namespace {

constexpr std::size_t kZstdChunkBytes = 1 << 18;

struct ZstdStreamDeleter {
    void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
};

} // namespace

struct ZstdSource::State {
    explicit State(RawFile opened) : file(std::move(opened)), buffer(ZSTD_DStreamInSize()) {}

    std::uint64_t consumed() const { return file.offset() - (input.size - input.pos); }
    /// False if the file is used up.
    Result<bool> refill();
    Status decompressSome(ZSTD_outBuffer& out);
    Error problem(std::size_t code) const;

    RawFile file;
    std::vector<char> buffer;
    ZSTD_inBuffer input{nullptr, 0, 0};
    std::unique_ptr<ZSTD_DStream, ZstdStreamDeleter> stream{ZSTD_createDStream()};
    bool inFrame = false;
    bool ended = false;
    std::uint64_t produced = 0;
};

ZstdSource::ZstdSource(std::unique_ptr<State> state) : m_state(std::move(state)) {}
ZstdSource::~ZstdSource() = default;

/// The first frame may be a skippable one, as pzstd writes it.
bool ZstdSource::recognizes(std::string_view head)
{
    const bool skippable = head.size() >= 4 && (static_cast<unsigned char>(head[0]) & 0xF0) == 0x50 &&
                           head.substr(1, 3) == "\x2A\x4D\x18";
    return skippable || head.starts_with("\x28\xB5\x2F\xFD");
}

Result<std::unique_ptr<ByteSource>> ZstdSource::open(RawFile file)
{
    auto state = std::make_unique<State>(std::move(file));
    TRAINYARD_CHECK(state->stream != nullptr);
    return std::unique_ptr<ByteSource>(new ZstdSource(std::move(state)));
}

std::uint64_t ZstdSource::fileOffset() const
{
    return m_state->consumed();
}

Result<bool> ZstdSource::State::refill()
{
    if (input.pos < input.size)
        return true;
    TRAINYARD_TRY(const std::size_t got, file.read(buffer));
    input = {buffer.data(), got, 0};
    return got > 0;
}

/// Also without further input: the stream may hold bytes for which there was no room before.
Status ZstdSource::State::decompressSome(ZSTD_outBuffer& out)
{
    TRAINYARD_TRY(const bool more, refill());
    const std::size_t before = out.pos;
    if (!more && !inFrame) {
        ended = true;
        return {};
    }
    const std::size_t left = ZSTD_decompressStream(stream.get(), &out, &input);
    if (ZSTD_isError(left))
        return problem(left);
    inFrame = left != 0;
    if (!more && inFrame && out.pos == before)
        return badInput(fmt::format("the compressed data ends unexpectedly at byte {}", consumed()),
                        "the download is incomplete; fetch the file again");
    return {};
}

Error ZstdSource::State::problem(std::size_t code) const
{
    if (ZSTD_getErrorCode(code) == ZSTD_error_frameParameter_windowTooLarge)
        return badInput("its compression looks back further than 128 MiB (zstd --long)",
                        "pipe it: zstd -dc --long=31 FILE | ... -");
    return badInput(fmt::format("the compressed data is damaged near byte {}", consumed()),
                    "fetch the file again and compare its checksum");
}

Result<std::optional<ByteChunk>> ZstdSource::next()
{
    State& state = *m_state;
    ByteChunk chunk{std::string(kZstdChunkBytes, '\0'), 0, state.produced};
    ZSTD_outBuffer out{chunk.bytes.data(), kZstdChunkBytes, 0};
    while (!state.ended && out.pos < out.size) {
        const Status status = state.decompressSome(out);
        if (!status.ok() && out.pos == 0)
            return status.error();
        if (!status.ok())
            break; // first the complete chunk; the error comes again
    }
    chunk.bytes.resize(out.pos);
    if (chunk.bytes.empty())
        return std::optional<ByteChunk>();
    state.produced += chunk.bytes.size();
    return std::optional(std::move(chunk));
}

} // namespace trainyard
