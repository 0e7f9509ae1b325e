#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "datasets/pretraining/instance.h"
#include "datasets/tokenizer/vocabulary.h"
#include "datasets/verification/row_rules.h"

namespace trainyard {

/// A row as pieces that a person can read.
struct SampleRow {
    struct Token {
        std::string text;     ///< what the model sees
        std::string original; ///< what it shall predict; empty = not masked
        int segment = 0;      ///< 0 = [CLS] A [SEP], 1 = B [SEP]
    };
    std::string shard;
    std::uint64_t row = 0;
    bool randomNext = false; ///< the label
    std::string relation;    ///< what B is, as a sentence; empty where there is no B
    std::vector<Token> tokens;
};

SampleRow decodeRow(const std::string& shard, std::uint64_t row, const Instance& instance,
                    const Vocabulary& vocabulary, const RowRules& rules);

/// Words joined, masked ones as "{original -> shown}".
std::string toText(const SampleRow& sample);

} // namespace trainyard
