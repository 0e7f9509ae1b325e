#include "datasets/input/gzip_source.h"

#include <vector>
#include <zlib.h>

#include <fmt/format.h>

namespace trainyard {

namespace {

constexpr std::size_t kInputBytes = 1 << 16;
constexpr std::size_t kChunkBytes = 1 << 18;
constexpr int kGzipWindow = 15 + 16; ///< zlib's way of asking for gzip's wrapping

} // namespace

struct GzipSource::State {
    explicit State(RawFile opened) : file(std::move(opened)), input(kInputBytes) {}
    ~State() { inflateEnd(&stream); }

    std::uint64_t consumed() const { return file.offset() - stream.avail_in; }
    /// False if the file is used up.
    Result<bool> refill();
    Status inflateSome();
    /// After the end of a member.
    Status beginNextMember();

    RawFile file;
    std::vector<char> input;
    z_stream stream{};
    bool ended = false; ///< no member follows
    std::uint64_t produced = 0;
};

GzipSource::GzipSource(std::unique_ptr<State> state) : m_state(std::move(state)) {}
GzipSource::~GzipSource() = default;

Result<std::unique_ptr<ByteSource>> GzipSource::open(RawFile file)
{
    auto state = std::make_unique<State>(std::move(file));
    TRAINYARD_CHECK(inflateInit2(&state->stream, kGzipWindow) == Z_OK);
    return std::unique_ptr<ByteSource>(new GzipSource(std::move(state)));
}

std::uint64_t GzipSource::fileOffset() const
{
    return m_state->consumed();
}

Result<bool> GzipSource::State::refill()
{
    if (stream.avail_in > 0)
        return true;
    TRAINYARD_TRY(const std::size_t got, file.read(input));
    stream.next_in = reinterpret_cast<Bytef*>(input.data());
    stream.avail_in = static_cast<uInt>(got);
    return got > 0;
}

Status GzipSource::State::inflateSome()
{
    TRAINYARD_TRY(const bool more, refill());
    if (!more)
        return badInput(fmt::format("the compressed data ends unexpectedly at byte {}", consumed()),
                        "the download is incomplete; fetch the file again");
    const int status = inflate(&stream, Z_NO_FLUSH);
    if (status == Z_STREAM_END)
        return beginNextMember();
    if (status != Z_OK)
        return badInput(fmt::format("the compressed data is damaged near byte {}", consumed()),
                        "fetch the file again and compare its checksum");
    return {};
}

Status GzipSource::State::beginNextMember()
{
    constexpr unsigned char kMagic[]{0x1F, 0x8B};
    std::vector<char> head;
    for (const unsigned char expected : kMagic) {
        TRAINYARD_TRY(const bool more, refill());
        ended = !more || *stream.next_in != expected;
        if (ended)
            return {};
        head.push_back(static_cast<char>(expected));
        ++stream.next_in;
        --stream.avail_in;
    }
    // Hand the magic to zlib again: it may have come from an input that is gone.
    TRAINYARD_CHECK(inflateReset(&stream) == Z_OK);
    const z_stream rest = stream;
    stream.next_in = reinterpret_cast<Bytef*>(head.data());
    stream.avail_in = static_cast<uInt>(head.size());
    TRAINYARD_CHECK(inflate(&stream, Z_NO_FLUSH) == Z_OK);
    stream.next_in = rest.next_in;
    stream.avail_in = rest.avail_in;
    return {};
}

Result<std::optional<ByteChunk>> GzipSource::next()
{
    State& state = *m_state;
    ByteChunk chunk{std::string(kChunkBytes, '\0'), 0, state.produced};
    state.stream.next_out = reinterpret_cast<Bytef*>(chunk.bytes.data());
    state.stream.avail_out = kChunkBytes;
    while (!state.ended && state.stream.avail_out > 0) {
        const Status status = state.inflateSome();
        const bool anything = state.stream.avail_out < kChunkBytes;
        if (!status.ok() && !anything)
            return status.error();
        if (!status.ok())
            break; // first the complete chunk; the error comes again
    }
    chunk.bytes.resize(kChunkBytes - state.stream.avail_out);
    if (chunk.bytes.empty())
        return std::optional<ByteChunk>();
    state.produced += chunk.bytes.size();
    return std::optional(std::move(chunk));
}

} // namespace trainyard
