#pragma once

#include <string_view>

#include "datasets/input/byte_source.h"
#include "datasets/input/raw_file.h"

namespace trainyard {

/// Decompresses Zstandard (RFC 8878), one frame after the other; skippable frames are left out. Its chunks
/// restart at the beginning of the file. Memory: the window of a frame, at most 128 MiB and usually 8.
class ZstdSource final : public ByteSource {
public:
    static bool recognizes(std::string_view head);
    static Result<std::unique_ptr<ByteSource>> open(RawFile file);
    ~ZstdSource() override;

    Result<std::optional<ByteChunk>> next() override;
    std::uint64_t fileOffset() const override;

private:
    struct State;
    explicit ZstdSource(std::unique_ptr<State> state);
    std::unique_ptr<State> m_state;
};

} // namespace trainyard
