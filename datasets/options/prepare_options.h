#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "datasets/options/corpus_format.h"
#include "datasets/options/instance_settings.h"
#include "datasets/options/task_options.h"
#include "engine/spec/diagnostic.h"

namespace trainyard {

/// Width of the rows of one data set.
struct RowShape {
    int sequenceLength = 128; ///< tokens per row
    int maxPredictions = 20;  ///< masked positions per row

    bool operator==(const RowShape&) const = default;
};

/// Additional outputs beside the HDF5 shards.
struct ExtraOutputs {
    bool provenance = false; ///< columns with the source documents and sentences of a row
    bool megatron = false;   ///< .bin and .idx of the sentences
    bool mds = false;        ///< MosaicML streaming shards of the rows

    bool operator==(const ExtraOutputs&) const = default;
};

/// Options of `trainyard-prepare prepare`; prepare_fields.h describes them. Paths are those of the host that
/// does the work.
struct PrepareOptions {
    static constexpr int kMinTrainingShards = 2; ///< the usual training scripts skip a single one
    static constexpr int kMaxSequenceLength = 65536;

    std::vector<std::filesystem::path> dumps;
    std::vector<std::size_t>
        sources; ///< the input that each dump belongs to; withFilesOfFolders() fills it in
    std::vector<std::filesystem::path> parts; ///< folders of documents, instead of dumps; see DocumentPart
    CorpusFormat format = CorpusFormat::Auto;
    bool keepHeadings = false;            ///< each as a sentence
    bool keepLists = false;               ///< keep list items, each as a sentence
    std::filesystem::path punkt;          ///< folder of Punkt parameters; empty = the built-in rules
    std::string punktSha256;              ///< of these parameters; checkedOptions() fills it in
    // Exactly one of these four is set.
    std::filesystem::path vocabulary;     ///< vocab.txt of WordPiece
    std::uint64_t trainVocabulary = 0;    ///< pieces of a vocab.txt to train on the corpus
    std::filesystem::path tokenizer;      ///< tokenizer.json
    std::uint64_t trainTokenizer = 0;     ///< tokens of a tokenizer.json to train on the corpus
    std::filesystem::path out;            ///< its parents need not exist
    std::string corpus = "wikicorpus_en"; ///< first part of the shards' names
    InstanceSettings instances;
    std::vector<RowShape>
        shapes; ///< one data set each, out of one reading; empty = that of `instances` alone
    ExtraOutputs extra;
    int dupeFactor = 5;
    std::vector<double> weights; ///< of the inputs in the training rows; empty = as many as they have
    int trainingShards = 8;
    int testShards = 2;
    double testFraction = 0.1;
    TaskOptions task; ///< labelled examples instead of a corpus
    bool cased = false;
    std::string profile = "hf";                         ///< of the tokenizer; see unicodeTables()
    std::uint64_t memoryBytes = std::uint64_t{1} << 30; ///< memory limit of the process
    int threads = 0;                                    ///< 0 = one per core
    std::chrono::milliseconds saveEvery{5000};          ///< between commits; a kill loses no more work

    bool operator==(const PrepareOptions&) const = default;

    /// Returns the folder of the data set of a shape, below `folder` if there are several.
    std::filesystem::path folderOf(const RowShape& shape, const std::filesystem::path& folder) const;
};

/// Returns the options that cannot be used, whatever the files are; the path of a diagnostic is the option:
/// {"--shards", "1 is out of range", "use at least 2, ..."}.
Diagnostics problemsOf(const PrepareOptions& options);

} // namespace trainyard
