#include "remote/wire/frame.h"

#include <fmt/format.h>

#include "engine/base/hash.h"
#include "engine/records/wire.h"

namespace trainyard {

namespace {

constexpr std::size_t kHead = 4 + 1 + 4;          // length, type, checksum or request id
constexpr std::size_t kCompactAfter = 256 * kKiB; // taken bytes are dropped when they have become this many

std::string encode(FrameType type, std::uint32_t mark, std::string_view payload)
{
    TRAINYARD_CHECK(payload.size() <= kMaxPayload);
    std::string frame;
    frame.reserve(kHead + payload.size());
    WireWriter out(frame);
    out.number(static_cast<std::uint32_t>(payload.size()));
    out.number(type);
    out.number(mark);
    frame.append(payload);
    return frame;
}

} // namespace

std::string encodeMessage(std::string_view json)
{
    return encode(FrameType::Message, checksum32(json), json);
}

std::string encodeChunk(std::uint32_t request, std::string_view bytes)
{
    return encode(FrameType::Chunk, request, bytes);
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
    const auto mark = head.number<std::uint32_t>();
    if (length > kMaxPayload)
        return badInput(fmt::format("a frame claims {} bytes; the maximum is {}", length, kMaxPayload));
    if (type != FrameType::Message && type != FrameType::Chunk)
        return badInput(fmt::format("a frame has the unknown type {}", static_cast<int>(type)));
    if (rest.size() < kHead + length)
        return std::optional<Frame>();
    const std::string_view payload = rest.substr(kHead, length);
    m_at += kHead + length;
    if (type == FrameType::Chunk)
        return std::optional(Frame{type, mark, payload});
    if (checksum32(payload) != mark)
        return badInput(fmt::format("a frame of {} bytes arrived damaged: wrong checksum", length));
    return std::optional(Frame{type, 0, payload});
}

} // namespace trainyard
