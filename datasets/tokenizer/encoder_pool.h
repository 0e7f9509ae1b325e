#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "datasets/tokenizer/wordpiece_encoder.h"

namespace trainyard {

/// Lends encoders with their caches to the threads of a stage; creates as many as are in use at the same
/// time. Any thread may use it.
class EncoderPool {
public:
    explicit EncoderPool(const WordPiece& wordPiece) : m_wordPiece(wordPiece) {}

    /// Returns use(WordPieceEncoder&); no other thread uses that encoder meanwhile.
    template <typename Use>
    auto with(Use use)
    {
        std::unique_ptr<WordPieceEncoder> encoder = take();
        auto result = use(*encoder);
        const std::lock_guard lock(m_mutex);
        m_spare.push_back(std::move(encoder));
        return result;
    }

private:
    std::unique_ptr<WordPieceEncoder> take()
    {
        const std::lock_guard lock(m_mutex);
        if (m_spare.empty())
            return std::make_unique<WordPieceEncoder>(m_wordPiece);
        std::unique_ptr<WordPieceEncoder> encoder = std::move(m_spare.back());
        m_spare.pop_back();
        return encoder;
    }

    const WordPiece& m_wordPiece;
    std::mutex m_mutex;
    std::vector<std::unique_ptr<WordPieceEncoder>> m_spare;
};

} // namespace trainyard
