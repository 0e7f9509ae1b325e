#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "remote/wire/protocol.h"

namespace trainyard {

enum class FrameType : std::uint8_t { Message = 1, Chunk = 2 };

/// One frame of the agent's protocol, little-endian; the length counts the payload alone:
///     message: [u32 length][u8 1][u32 checksum32(payload)][payload: JSON text, UTF-8]
///     chunk:   [u32 length][u8 2][u32 request id][payload: bytes that belong to that request]
/// A chunk has no checksum: PROTOCOL.md says what protects its bytes.
struct Frame {
    FrameType type = FrameType::Message;
    std::uint32_t request = 0; ///< of a chunk
    std::string_view payload;  ///< points into the parser's buffer
};

/// Both require at most kMaxPayload bytes.
std::string encodeMessage(std::string_view json);
std::string encodeChunk(std::uint32_t request, std::string_view bytes);

/// Splits a byte stream, fed in pieces of any size, into frames. Buffers at most the bytes that were fed and
/// not yet taken: a header that claims more than kMaxPayload is an error before anything is stored for it.
class FrameParser {
public:
    void feed(std::string_view bytes);

    /// Returns the next whole frame, valid until the parser is used again; nullopt when more bytes are
    /// needed. BadInput for a wrong length, type or checksum; the stream cannot be trusted from then on, so
    /// every later call returns the same error.
    Result<std::optional<Frame>> next();

private:
    Result<std::optional<Frame>> parse();

    std::string m_buffer;
    std::size_t m_at = 0; ///< taken part of m_buffer
    std::optional<Error> m_broken;
};

} // namespace trainyard
