#pragma once

#include <string_view>

#include "datasets/input/byte_source.h"
#include "datasets/input/raw_file.h"

namespace trainyard {

/// Decompresses bzip2, one stream after the other.
class Bzip2Source final : public ByteSource {
public:
    static bool recognizes(std::string_view head) { return head.starts_with("BZh"); }
    static Result<std::unique_ptr<ByteSource>> open(RawFile file, int threads, std::uint64_t restart);
    ~Bzip2Source() override;

    Result<std::optional<ByteChunk>> next() override;
    std::uint64_t fileOffset() const override;

private:
    struct State;
    explicit Bzip2Source(std::unique_ptr<State> state);
    std::unique_ptr<State> m_state;
};

} // namespace trainyard
