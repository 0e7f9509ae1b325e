#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "datasets/pretraining/instance.h"
#include "datasets/tokenizer/vocabulary.h"
#include "datasets/verification/row_rules.h"

namespace trainyard {

/// A row as readable pieces.
struct SampleRow {
    struct Token {
        std::string text;       ///< the input of the model
        std::string original{}; ///< the token to predict; empty = not masked
        int segment = 0;        ///< 0 = [CLS] A [SEP], 1 = B [SEP]
        std::string label{};    ///< of a word that is tagged, on its first token; else empty
        bool isTarget = false;  ///< of the answer, or of the completion
    };
    std::string shard;
    std::uint64_t row = 0;
    bool randomNext = false; ///< the label
    std::string relation;    ///< origin of B as a sentence; empty if there is no B
    std::vector<Token> tokens;
    TaskKind task = TaskKind::None;
    std::string label{}; ///< of the row, for a task: the class or the number; else empty
};

SampleRow decodeRow(const std::string& shard, std::uint64_t row, const Instance& instance,
                    const Vocabulary& vocabulary, const RowRules& rules);

/// Joins the words; masked ones are "{original -> shown}", tagged ones "word/label", pieces of an answer or
/// completion are between "{" and "}".
std::string toText(const SampleRow& sample);

} // namespace trainyard
