#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "datasets/input/corpus_format.h"
#include "datasets/pretraining/instance.h"
#include "datasets/pretraining/instance_names.h"
#include "engine/base/result.h"

namespace trainyard {

inline constexpr std::array kFormatNames{
    OptionNames<CorpusFormat>{"auto", CorpusFormat::Auto},
    OptionNames<CorpusFormat>{"mediawiki", CorpusFormat::MediaWiki},
    OptionNames<CorpusFormat>{"wikiextractor", CorpusFormat::WikiExtractor},
    OptionNames<CorpusFormat>{"articles", CorpusFormat::Articles},
    OptionNames<CorpusFormat>{"sentences", CorpusFormat::Sentences},
    OptionNames<CorpusFormat>{"jsonl", CorpusFormat::JsonLines},
};

/// Width of the rows of one data set.
struct RowShape {
    int sequenceLength = 128;
    int maxPredictions = 20;
};

/// Additional outputs beside the HDF5 shards.
struct ExtraOutputs {
    bool provenance = false; ///< columns with the source documents and sentences of a row
    bool megatron = false;   ///< .bin and .idx of the sentences
    bool mds = false;        ///< MosaicML streaming shards of the rows
};

/// Options of `trainyard-prepare prepare`.
struct PrepareOptions {
    static constexpr int kMinTrainingShards = 2; ///< the usual training scripts skip a single one

    std::vector<std::filesystem::path> dumps;
    std::vector<std::filesystem::path> parts; ///< folders of documents, instead of dumps; see DocumentPart
    CorpusFormat format = CorpusFormat::Auto;
    bool keepHeadings = false;            ///< each as a sentence
    bool keepLists = false;               ///< keep list items, each as a sentence
    std::filesystem::path punkt;          ///< folder of Punkt parameters; empty = the built-in rules
    std::string punktSha256;              ///< of these parameters; checked() fills it in
    std::filesystem::path vocabulary;     ///< empty = train one
    std::size_t trainVocabulary = 0;      ///< pieces to train; 0 = use `vocabulary`
    std::filesystem::path out;            ///< its parents need not exist
    std::string corpus = "wikicorpus_en"; ///< first part of the shards' names
    InstanceSettings instances;
    std::vector<RowShape>
        shapes; ///< one data set each, out of one reading; empty = that of `instances` alone
    ExtraOutputs extra;
    int dupeFactor = 5;
    int trainingShards = 8;
    int testShards = 2;
    double testFraction = 0.1;
    bool cased = false;
    std::string profile = "hf";                         ///< of the tokenizer; see unicodeTables()
    std::uint64_t memoryBytes = std::uint64_t{1} << 30; ///< memory limit of the process
    int threads = 0;                                    ///< 0 = one per core
    std::chrono::milliseconds saveEvery{5000};          ///< between commits; a kill loses no more work

    /// Returns the effective values: threads filled in, `out` absolute and with links resolved. BadInput
    /// names the option that is out of range.
    Result<PrepareOptions> checked() const;
};

} // namespace trainyard
