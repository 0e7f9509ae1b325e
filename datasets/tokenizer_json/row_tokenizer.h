#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "datasets/tokenizer/row_frame.h"
#include "datasets/tokenizer/text_encoder.h"
#include "datasets/tokenizer/unicode_tables.h"
#include "datasets/tokenizer/vocabulary.h"
#include "datasets/tokenizer_json/token_spellings.h"

namespace trainyard {

/// The tokenizer that the rows of a data set are made with: BERT's WordPiece with a vocab.txt, or a
/// tokenizer.json. Text never becomes a special token. Immutable; any thread may use it.
struct RowTokenizer {
    static constexpr const char* kVocabularyFile = "vocab.txt";
    static constexpr const char* kTokenizerFile = "tokenizer.json";
    static constexpr const char* kSmallFiles[] = {"special_tokens_map.json", "tokenizer_config.json"};

    Vocabulary vocabulary; ///< its text() is the file, which data sets keep as `fileName`
    std::unique_ptr<const Tokenizer> tokenizer;
    std::string fileName = kVocabularyFile;
    /// Content by name of the files beside the tokenizer.json that name special tokens.
    std::map<std::string, std::string> smallFiles{};
    bool isCased = true;
    /// What the post_processor puts around texts, else the ends that are named elsewhere, as BERT has them;
    /// nullopt without both ends, or if the post_processor is of another kind.
    std::optional<RowFrame> frame{};
    /// Of byte-level BPE, for which the white space between sentences is text like any other; else null.
    std::shared_ptr<const ByteSpelling> bytes{};

    bool isTokenizerJson() const { return fileName == kTokenizerFile; }
};

RowTokenizer rowTokenizerOf(Vocabulary vocabulary, const UnicodeTables& tables, bool cased);

/// Reads a file of either kind; a tokenizer.json ends in ".json". `tables` and `cased` are for a vocab.txt;
/// without `cased` it is as the vocabulary looks.
Result<RowTokenizer> loadRowTokenizer(const std::filesystem::path& file, const UnicodeTables& tables,
                                      std::optional<bool> cased);

/// Reads a tokenizer.json (loadTokenizer()) and, if that is its name, special_tokens_map.json and
/// tokenizer_config.json beside it. BadInput names the file and the key.
Result<RowTokenizer> loadRowTokenizer(const std::filesystem::path& file);

} // namespace trainyard
