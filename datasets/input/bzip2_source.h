#pragma once

#include <string_view>

#include "datasets/input/byte_source.h"
#include "datasets/input/raw_file.h"

namespace trainyard {

/// Decompresses the blocks of a bzip2 file in parallel, one stream after the other. A chunk is a block; its
/// `restart` is the first bit of the block. Verifies the checksums of blocks, and of streams that are read
/// from their start. Trailing data that is not a stream is ignored, as bzip2 does, unless it contains a
/// block. Memory: a few blocks per thread.
class Bzip2Source final : public ByteSource {
public:
    static bool recognizes(std::string_view head)
    {
        return head.size() > 3 && head.starts_with("BZh") && head[3] >= '1' && head[3] <= '9';
    }
    static Result<std::unique_ptr<ByteSource>> open(RawFile file, std::shared_ptr<ThreadBudget> threads,
                                                    std::uint64_t restart);
    ~Bzip2Source() override;

    Result<std::optional<ByteChunk>> next() override;
    std::uint64_t fileOffset() const override;

private:
    struct State;
    explicit Bzip2Source(std::unique_ptr<State> state);
    std::unique_ptr<State> m_state;
};

} // namespace trainyard
