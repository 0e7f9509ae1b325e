#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "remote/wire/protocol.h"

namespace trainyard {

enum class FrameType : std::uint8_t {
    Message = 1, ///< JSON text, UTF-8
    Chunk = 2,   ///< u32 request id, then bytes that belong to that request
};

/// One frame of the agent's protocol: `[u32 length][u8 type][u32 checksum32(payload)][payload]`,
/// little-endian; length counts the payload alone.
struct Frame {
    FrameType type = FrameType::Message;
    std::string payload;
};

/// Requires payload.size() <= kMaxPayload.
std::string encodeFrame(FrameType type, std::string_view payload);
/// Requires bytes.size() <= kMaxChunk.
std::string encodeChunk(std::uint32_t request, std::string_view bytes);

struct Chunk {
    std::uint32_t request = 0;
    std::string_view bytes; ///< points into the frame's payload
};
/// Returns nullopt when the payload is too short to name its request.
std::optional<Chunk> decodeChunk(std::string_view payload);

/// Splits a byte stream, fed in pieces of any size, into frames. Buffers at most the bytes that were fed and
/// not yet taken: a header that claims more than kMaxPayload is an error before anything is stored for it.
class FrameParser {
public:
    void feed(std::string_view bytes);

    /// Returns the next whole frame; nullopt when more bytes are needed. BadInput for a wrong length, type or
    /// checksum; the stream cannot be trusted from then on, so every later call returns the same error.
    Result<std::optional<Frame>> next();

private:
    Result<std::optional<Frame>> parse();

    std::string m_buffer;
    std::size_t m_at = 0; ///< taken part of m_buffer
    std::optional<Error> m_broken;
};

} // namespace trainyard
