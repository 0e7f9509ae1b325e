#pragma once

#include <string_view>

#include "datasets/input/byte_source.h"
#include "datasets/input/raw_file.h"

namespace trainyard {

/// Decompresses gzip (RFC 1952), one member after the other. Trailing data that is not a member is ignored,
/// as gzip does. Its chunks restart at the beginning of the file.
class GzipSource final : public ByteSource {
public:
    static bool recognizes(std::string_view head) { return head.starts_with("\x1F\x8B"); }
    static Result<std::unique_ptr<ByteSource>> open(RawFile file);
    ~GzipSource() override;

    Result<std::optional<ByteChunk>> next() override;
    std::uint64_t fileOffset() const override;

private:
    struct State;
    explicit GzipSource(std::unique_ptr<State> state);
    std::unique_ptr<State> m_state;
};

} // namespace trainyard
