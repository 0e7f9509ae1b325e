#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/tokenizer/vocabulary_trainer.h"
#include "datasets/tokenizer_json/pre_tokenizer.h"
#include "engine/base/result.h"

namespace trainyard {

/// How text is cut into the pieces within which bytes are merged.
enum class BytePairSplit { Gpt2, Llama3, Qwen };

struct BytePairTraining {
    std::size_t size =
        16384; ///< tokens, with the special ones and the 256 bytes; fewer if the text has no more
    std::uint64_t leastFrequency = 2; ///< minimum frequency of a pair to be merged
    BytePairSplit split = BytePairSplit::Gpt2;
    std::vector<std::string> special{"<|endoftext|>"}; ///< get the first ids
    std::string rowBegin{};                            ///< of these, for the "post_processor"; empty: none
    std::string rowEnd{};
    std::string mask{}; ///< of these: takes the white space before it, as a word would
};

/// Counts the pieces of texts for trainBytePairs(). Immutable; any thread may use it.
class PieceCounter {
public:
    explicit PieceCounter(BytePairSplit split);

    /// Adds the pieces of `text`, which is valid UTF-8. Text is normalized first where the split is Qwen's.
    void count(std::string_view text, WordCounts& counts) const;

private:
    PreTokenizer m_preTokenizer;
    bool m_normalizes;
};

/// Returns a tokenizer.json with a byte-level BPE: the special tokens, the bytes in the order of
/// byte_alphabet.h, then tokens in the order of their merges (PairTrainer). The same counts give the same
/// file, in whatever order they were gathered. BadInput if `size` is too small or a special token is empty or
/// repeated; Cancelled if `stopped`, which is polled for every piece and merge, returns true.
Result<std::string> trainBytePairs(
    const WordCounts& counts, const BytePairTraining& training,
    const std::function<bool()>& stopped = [] { return false; });

} // namespace trainyard
