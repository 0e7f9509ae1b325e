#include "datasets/input/bzip2_source.h"

#include <deque>

#include <fmt/format.h>

#include "datasets/input/bzip2_workers.h"

namespace trainyard {

namespace {

using Kind = Bzip2Segment::Kind;

constexpr std::uint64_t kHeaderBits = 32;    ///< "BZh9"
constexpr std::uint64_t kStreamEndBits = 80; ///< magic number and checksum

Error damaged(std::uint64_t bit)
{
    return badInput(fmt::format("the compressed data is damaged near byte {}", bit / 8),
                    "fetch the file again and compare its checksum");
}
Error truncated(std::uint64_t bit)
{
    return badInput(fmt::format("the compressed data ends unexpectedly at byte {}", bit / 8),
                    "the download is incomplete; fetch the file again");
}

/// The bits of the segment from `at` on, as far as they are one of the four bytes of a stream's header.
bool beginsAsHeader(const Bzip2Segment& segment, std::uint64_t at)
{
    constexpr std::string_view kHeader = "BZh";
    for (std::size_t i = 0; i < kHeaderBits / 8 && at + i * 8 < segment.bits; ++i) {
        const auto byte = static_cast<char>(segment.bitsAt(at + i * 8, 8));
        if (i < kHeader.size() ? byte != kHeader[i] : byte < '1' || byte > '9')
            return false;
    }
    return true;
}

/// What comes next in the file.
enum class Expected : std::uint8_t {
    Header, ///< of a stream, or the end of the file
    Block,  ///< or the end of the stream
    Padding ///< to the end of the file
};

} // namespace

struct Bzip2Source::State {
    State(Bzip2Segments cut, std::shared_ptr<ThreadBudget> threads, std::uint64_t begin)
        : segments(std::move(cut))
        , expected(begin > 0 ? Expected::Block : Expected::Header)
        , crcKnown(begin == 0)
        , passed(begin)
        , workers(std::move(threads))
    {
    }

    Status lookAhead();
    Status passBetweenBlocks(const Bzip2Segment& segment);
    Status beginStream(const Bzip2Segment& segment, std::uint64_t at);
    Status endStream(const Bzip2Segment& segment);
    Result<std::optional<ByteChunk>> takeBlock();
    Status mergeWithNext();

    Bzip2Segments segments;
    std::deque<std::shared_ptr<Bzip2Job>> jobs; ///< in the order of the file
    bool allCut = false;
    bool merged = false; ///< the job at the front is of several segments
    Expected expected;
    bool crcKnown;            ///< false in a stream that is not read from its begin
    std::uint32_t crc = 0;    ///< of the stream's blocks so far
    std::uint64_t passed = 0; ///< bits of the file
    Bzip2Workers workers;     ///< last, so that its threads end first
};

Bzip2Source::Bzip2Source(std::unique_ptr<State> state) : m_state(std::move(state)) {}
Bzip2Source::~Bzip2Source() = default;

Result<std::unique_ptr<ByteSource>> Bzip2Source::open(RawFile file, std::shared_ptr<ThreadBudget> threads,
                                                      std::uint64_t restart)
{
    TRAINYARD_TRY(Bzip2Segments segments, Bzip2Segments::open(std::move(file), restart));
    return std::unique_ptr<ByteSource>(
        new Bzip2Source(std::make_unique<State>(std::move(segments), std::move(threads), restart)));
}

std::uint64_t Bzip2Source::fileOffset() const
{
    return (m_state->passed + 7) / 8;
}

Result<std::optional<ByteChunk>> Bzip2Source::next()
{
    State& state = *m_state;
    for (;;) {
        TRAINYARD_TRY_STATUS(state.lookAhead());
        if (state.jobs.empty() && state.expected == Expected::Block)
            return truncated(state.passed);
        if (state.jobs.empty())
            return std::optional<ByteChunk>();
        if (state.expected == Expected::Block && state.jobs.front()->segment.kind == Kind::Block) {
            TRAINYARD_TRY(auto chunk, state.takeBlock());
            if (chunk)
                return chunk;
            continue;
        }
        TRAINYARD_TRY_STATUS(state.passBetweenBlocks(state.jobs.front()->segment));
        state.passed = state.jobs.front()->segment.end();
        state.jobs.pop_front();
    }
}

Status Bzip2Source::State::passBetweenBlocks(const Bzip2Segment& segment)
{
    if (expected == Expected::Block && segment.kind == Kind::StreamEnd)
        return endStream(segment);
    if (expected == Expected::Header && segment.kind == Kind::Other)
        return beginStream(segment, 0);
    if (expected == Expected::Padding && segment.kind == Kind::Other)
        return {};
    return segment.endsFile && segment.bits < kStreamEndBits ? truncated(segment.end())
                                                             : damaged(segment.begin);
}

/// Gives the workers enough jobs, but no more than fit into memory.
Status Bzip2Source::State::lookAhead()
{
    while (!allCut && jobs.size() < 2 * workers.size() + 1) {
        TRAINYARD_TRY(auto segment, segments.next());
        allCut = !segment;
        if (allCut)
            break;
        jobs.push_back(std::make_shared<Bzip2Job>(Bzip2Job{std::move(*segment), {}, false}));
        if (jobs.back()->segment.kind == Kind::Block)
            workers.start(jobs.back());
    }
    return {};
}

/// `at`: position in the segment of a possible stream header or the end of the file.
Status Bzip2Source::State::beginStream(const Bzip2Segment& segment, std::uint64_t at)
{
    const std::uint64_t bits = segment.bits - std::min(segment.bits, at);
    expected = beginsAsHeader(segment, at) ? Expected::Header : Expected::Padding;
    if (expected == Expected::Padding || (bits == 0 && segment.endsFile))
        return {};
    if (bits != kHeaderBits)
        return segment.endsFile ? truncated(segment.end()) : damaged(segment.begin + at);
    expected = Expected::Block;
    crcKnown = true;
    crc = 0;
    return {};
}

Status Bzip2Source::State::endStream(const Bzip2Segment& segment)
{
    if (segment.bits < kStreamEndBits)
        return segment.endsFile ? truncated(segment.end()) : damaged(segment.begin);
    if (crcKnown && segment.bitsAt(Bzip2Segment::kMagicBits, 32) != crc)
        return damaged(segment.begin);
    // The next stream starts with a byte.
    const std::uint64_t end = segment.begin + kStreamEndBits;
    return beginStream(segment, kStreamEndBits + (8 - end % 8) % 8);
}

/// Returns the block at the front; nullopt if its apparent end may be inside the block.
Result<std::optional<ByteChunk>> Bzip2Source::State::takeBlock()
{
    const std::shared_ptr<Bzip2Job> job = jobs.front();
    workers.waitFor(*job);
    if (job->block.state != Bzip2Block::State::Complete) {
        TRAINYARD_TRY_STATUS(mergeWithNext());
        return std::optional<ByteChunk>();
    }
    jobs.pop_front();
    merged = false;
    crc = (crc << 1 | crc >> 31) ^ job->block.crc;
    passed = job->segment.end();
    return std::optional(ByteChunk{std::move(job->block.bytes), job->segment.begin, 0});
}

/// The magic number after the front block may be part of that block by chance.
Status Bzip2Source::State::mergeWithNext()
{
    Bzip2Segment& segment = jobs.front()->segment;
    if (segment.endsFile && !merged && jobs.front()->block.state == Bzip2Block::State::Cut)
        return truncated(segment.end());
    if (jobs.size() < 2 || segment.bits > Bzip2Segment::kMaxBits)
        return damaged(segment.begin);
    if (jobs[1]->segment.kind == Kind::Block)
        workers.waitFor(*jobs[1]); // in vain, but it may be at work
    segment.append(jobs[1]->segment);
    merged = true;
    jobs.erase(jobs.begin() + 1);
    workers.start(jobs.front());
    return {};
}

} // namespace trainyard
