#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

struct ShardEntry {
    std::string file; ///< plain name inside the data set's folder
    std::uint64_t rows = 0;
    std::string sha256;
    bool training = true;        ///< false = held out for tests; its documents occur in no training shard
    std::uint64_t tokens = 0;    ///< of its rows, without padding; 0 = unknown
    std::uint64_t textBytes = 0; ///< UTF-8 of the text that these tokens were made of; 0 = unknown
};

/// A file in another format, made of the same data.
struct ExportEntry {
    std::string file; ///< path inside the data set's folder, such as mds/train/shard.00000.mds
    std::uint64_t bytes = 0;
    std::string sha256;
};

/// An input of a preparation with --weights, and what it gave to the training rows.
struct MixedSource {
    double weight = 0;
    std::uint64_t documents = 0;      ///< for training
    std::uint64_t tokens = 0;         ///< of these, each counted once
    std::uint64_t mixedDocuments = 0; ///< of all passes over them
    std::uint64_t mixedTokens = 0;    ///< likewise
};

/// PreparationSettings::format of shards that another tool made: see adoptDataset(). Nothing is known of
/// their documents.
inline constexpr const char* kAdoptedFormat = "adopted";

/// Settings of the preparation; `prepare` with the same values and dumps gives the same bytes.
struct PreparationSettings {
    std::string corpus;             ///< first part of the shards' names
    std::vector<std::string> dumps; ///< file names, without folders
    bool cased = false;
    std::string tokenizerProfile;     ///< "hf-0.23"
    std::string format = "mediawiki"; ///< of the corpus files
    bool keepHeadings = false;
    bool keepLists = false;
    std::string segmenter = "rules";     ///< or "punkt"
    std::string punktSha256;             ///< of the parameters; empty for the rules
    std::string objective = "bert";      ///< or "mlm", "gpt", a task: "classify" ...
    std::string nextSentence = "random"; ///< or "swap", "none"
    bool wholeWords = false;
    bool provenance = false;       ///< the shards have columns with the source of each row
    int dupeFactor = 0;            ///< passes over every document, each with different pairs and masks
    double maskedShare = 0;        ///< of a row's tokens
    double shortSequenceShare = 0; ///< of documents per pass that aim at a shorter row
    double testFraction = 0;       ///< expected share of documents held out
};

/// Of a data set whose rows are labelled for a task: PreparationSettings::objective is its kind.
struct TaskDescription {
    std::vector<std::string> labels;  ///< names of the classes, by their numbers
    std::vector<std::string> heldOut; ///< names of the files of the test rows; empty: a share of the others
    int docStride = 0;                ///< of answers: tokens that two rows of one context share
    std::string questionsFile;        ///< of answers: JSON lines with id, context, question and answers
    std::string questionsSha256;      ///< of that file; empty: the data set is older than this

    bool operator==(const TaskDescription&) const = default;
};

/// Of a data set that was made with a tokenizer.json, which is its Manifest::vocabularyFile; empty with a
/// vocab.txt.
struct TokenizerDescription {
    std::map<std::string, std::string> files;    ///< SHA-256 by name of the small files beside it
    std::map<std::string, std::int32_t> special; ///< ids by role: "cls", "sep", "mask", "pad", "unk", "end"

    bool operator==(const TokenizerDescription&) const = default;
};

/// Statistics of the content, counted while it was written.
struct DatasetStatistics {
    std::uint64_t documents = 0; ///< training and test together
    std::uint64_t testDocuments = 0;
    std::uint64_t sentences = 0;
    std::uint64_t tokens = 0;         ///< WordPieces of all documents, each counted once
    std::uint64_t rowTokens = 0;      ///< tokens of all rows, including special tokens, without padding
    std::uint64_t fullRows = 0;       ///< rows without padding
    std::uint64_t randomNext = 0;     ///< rows with label 1
    std::uint64_t singleSentence = 0; ///< rows from a chunk of one sentence, whose B is always random
    std::uint64_t masked = 0;         ///< positions to predict
    std::uint64_t maskToken = 0;      ///< of these shown as [MASK]
    std::uint64_t keptToken = 0;      ///< of these unchanged
    std::uint64_t randomToken = 0;    ///< of these replaced by a random entry of the vocabulary
    std::vector<std::uint64_t> lengthHistogram; ///< rows per sixteenth of the sequence length, shortest first
};

/// `manifest.json` of a data set folder: its content, its origin, and the hashes to verify it.
struct Manifest {
    static constexpr int kVersion = 1;
    static constexpr const char* kFileName = "manifest.json";

    int version = kVersion;
    std::string toolVersion;
    int sequenceLength = 0;
    int maxPredictions = 0;
    int vocabularySize = 0;
    std::string vocabularyFile; ///< copy of the vocabulary in the same folder
    std::string vocabularySha256;
    std::uint64_t seed = 0;
    std::vector<ShardEntry> shards;   ///< training shards first, each kind in order of its number
    std::vector<ExportEntry> exports; ///< empty unless additional formats were requested
    std::vector<MixedSource> sources; ///< in the order of the inputs; empty without --weights
    PreparationSettings settings;
    TokenizerDescription tokenizer;
    TaskDescription task;
    DatasetStatistics statistics;
    std::map<std::string, std::uint64_t> counters; ///< pages read, dropped and why, residue removed, ...

    /// Reads the manifest of a folder. BadInput names the file and the field that is missing, of the wrong
    /// type or unknown in this version.
    static Result<Manifest> load(const std::filesystem::path& folder);
    /// Reads a manifest file with any name.
    static Result<Manifest> loadFile(const std::filesystem::path& file);
    /// The same content gives the same bytes: no times, no paths.
    std::string toJson() const;

    /// vocabularyFile is a tokenizer.json, not a vocab.txt.
    bool hasTokenizerJson() const { return vocabularyFile.ends_with(".json"); }
    /// A token is behind every document of running text.
    bool endsDocuments() const { return !hasTokenizerJson() || tokenizer.special.contains("end"); }
    bool isAdopted() const { return settings.format == kAdoptedFormat; }
    /// None of a data set for pre-training.
    TaskKind taskKind() const;
    std::uint64_t trainingRows() const;
    std::uint64_t testRows() const;
    /// UTF-8 bytes of text per token of the test rows; nullopt for data sets that do not say.
    std::optional<double> testBytesPerToken() const;
};

} // namespace trainyard
