#include "remote/wire/frame.h"

#include <fmt/format.h>

#include "engine/base/hash.h"
#include "engine/records/wire.h"

namespace trainyard {

namespace {

constexpr std::size_t kHead = 4 + 1 + 4;          // length, type, checksum
constexpr std::size_t kCompactAfter = 256 * kKiB; // taken bytes are dropped when they have become this many

} // namespace

std::string encodeFrame(FrameType type, std::string_view payload)
{
    TRAINYARD_CHECK(payload.size() <= kMaxPayload);
    std::string frame;
    frame.reserve(kHead + payload.size());
    WireWriter out(frame);
    out.number(static_cast<std::uint32_t>(payload.size()));
    out.number(type);
    out.number(checksum32(payload));
    frame.append(payload);
    return frame;
}

std::string encodeChunk(std::uint32_t request, std::string_view bytes)
{
    std::string payload;
    payload.reserve(sizeof request + bytes.size());
    WireWriter(payload).number(request);
    payload.append(bytes);
    return encodeFrame(FrameType::Chunk, payload);
}

std::optional<Chunk> decodeChunk(std::string_view payload)
{
    WireReader in(payload);
    const auto request = in.number<std::uint32_t>();
    if (!in.ok())
        return std::nullopt;
    return Chunk{request, payload.substr(sizeof request)};
}

void FrameParser::feed(std::string_view bytes)
{
    if (m_broken)
        return;
    if (m_at == m_buffer.size() || m_at >= kCompactAfter) {
        m_buffer.erase(0, m_at);
        m_at = 0;
    }
    m_buffer.append(bytes);
}

Result<std::optional<Frame>> FrameParser::next()
{
    if (m_broken)
        return *m_broken;
    auto frame = parse();
    if (!frame.ok()) {
        m_broken = frame.error();
        m_buffer.clear();
    }
    return frame;
}

Result<std::optional<Frame>> FrameParser::parse()
{
    const std::string_view rest = std::string_view(m_buffer).substr(m_at);
    if (rest.size() < kHead)
        return std::optional<Frame>();
    WireReader head(rest);
    const auto length = head.number<std::uint32_t>();
    const auto type = head.number<FrameType>();
    const auto checksum = head.number<std::uint32_t>();
    if (length > kMaxPayload)
        return badInput(fmt::format("a frame claims {} bytes; the maximum is {}", length, kMaxPayload));
    if (type != FrameType::Message && type != FrameType::Chunk)
        return badInput(fmt::format("a frame has the unknown type {}", static_cast<int>(type)));
    if (rest.size() < kHead + length)
        return std::optional<Frame>();
    const std::string_view payload = rest.substr(kHead, length);
    if (checksum32(payload) != checksum)
        return badInput(fmt::format("a frame of {} bytes arrived damaged: wrong checksum", length));
    Frame frame{type, std::string(payload)};
    m_at += kHead + length;
    return std::optional<Frame>(std::move(frame));
}

} // namespace trainyard
