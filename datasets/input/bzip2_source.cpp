#include "datasets/input/bzip2_source.h"

#include <bzlib.h>
#include <vector>

#include <fmt/format.h>

namespace trainyard {

namespace {

constexpr std::size_t kInputBytes = 1 << 18;
constexpr std::size_t kChunkBytes = 1 << 18;

} // namespace

struct Bzip2Source::State {
    explicit State(RawFile opened) : file(std::move(opened)), input(kInputBytes) {}
    ~State() { endStream(); }

    std::uint64_t consumed() const { return file.offset() - stream.avail_in; }
    Result<bool> refill();
    Status decompress();
    void endStream();

    RawFile file;
    std::vector<char> input;
    bz_stream stream{};
    bool inStream = false;
    std::uint64_t produced = 0;
};

Bzip2Source::Bzip2Source(std::unique_ptr<State> state) : m_state(std::move(state)) {}
Bzip2Source::~Bzip2Source() = default;

Result<std::unique_ptr<ByteSource>> Bzip2Source::open(RawFile file, int, std::uint64_t)
{
    return std::unique_ptr<ByteSource>(new Bzip2Source(std::make_unique<State>(std::move(file))));
}

std::uint64_t Bzip2Source::fileOffset() const
{
    return m_state->consumed();
}

Result<bool> Bzip2Source::State::refill()
{
    if (stream.avail_in > 0)
        return true;
    TRAINYARD_TRY(const std::size_t got, file.read(input));
    stream.next_in = input.data();
    stream.avail_in = static_cast<unsigned>(got);
    return got > 0;
}

Status Bzip2Source::State::decompress()
{
    if (!inStream) {
        TRAINYARD_CHECK(BZ2_bzDecompressInit(&stream, 0, 0) == BZ_OK);
        inStream = true;
    }
    const int status = BZ2_bzDecompress(&stream);
    if (status == BZ_STREAM_END)
        endStream();
    else if (status != BZ_OK)
        return badInput(fmt::format("the compressed data is damaged near byte {}", consumed()),
                        "fetch the dump again and compare its checksum");
    return {};
}

void Bzip2Source::State::endStream()
{
    if (inStream)
        BZ2_bzDecompressEnd(&stream);
    inStream = false;
}

Result<std::optional<ByteChunk>> Bzip2Source::next()
{
    State& state = *m_state;
    ByteChunk chunk{std::string(kChunkBytes, '\0'), 0, state.produced};
    state.stream.next_out = chunk.bytes.data();
    state.stream.avail_out = kChunkBytes;
    while (state.stream.avail_out == kChunkBytes) {
        TRAINYARD_TRY(const bool more, state.refill());
        if (!more && !state.inStream)
            return std::optional<ByteChunk>();
        if (!more)
            return badInput(fmt::format("the compressed data ends in the middle, at byte {}", fileOffset()),
                            "the download is incomplete; fetch the dump again");
        TRAINYARD_TRY_STATUS(state.decompress());
    }
    chunk.bytes.resize(kChunkBytes - state.stream.avail_out);
    state.produced += chunk.bytes.size();
    return std::optional(std::move(chunk));
}

} // namespace trainyard
