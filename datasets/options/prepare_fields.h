#pragma once

#include <string>
#include <vector>

#include "datasets/options/prepare_options.h"
#include "engine/base/units.h"
#include "engine/spec/field_info.h"

namespace trainyard {

/// Everything that the command line, the form and the checks share about one option of
/// `trainyard-prepare prepare`. Type and default come from the member that it describes.
struct OptionInfo {
    const char* option; ///< "--shards"; also names its field in the form and its problems
    std::string help;
    Range range{};                      ///< of a number
    const char* hint = "";              ///< for a number that is out of range
    std::vector<std::string> choices{}; ///< of a text; empty: any
    bool isSize = false;                ///< bytes, which people also write as 512M or 2GiB
};

// Each calls option(OptionInfo, member) for members that are one value of the command, in the order of its
// help. The others (files, vocabulary, shapes, export formats) are bound in prepare_command_line.cpp.

template <typename Options, typename Visitor>
void describeReading(Options& o, Visitor&& option)
{
    option({"--format", "format of the files"}, o.format);
    option({"--headings", "keep headings, each as a sentence"}, o.keepHeadings);
    option({"--lists", "keep list items, each as a sentence"}, o.keepLists);
    option(
        {"--punkt", "split sentences with the Punkt parameters in this folder instead of the built-in rules"},
        o.punkt);
    option({.option = "--profile",
            .help = "tokenizer to match: Hugging Face's, or Google's and NVIDIA's tokenization.py",
            .choices = {"hf", "google-py"}},
           o.profile);
    option({"--cased", "keep case and accents"}, o.cased);
}

/// Of a corpus and of a task.
template <typename Options, typename Visitor>
void describeText(Options& o, Visitor&& option)
{
    option({"--text",
            "column of the text in JSON lines, Parquet and Arrow (usually \"text\"); of a task that of "
            "the sentence or prompt, also by number from 1"},
           o.task.text);
}

template <typename Options, typename Visitor>
void describeRows(Options& o, Visitor&& option)
{
    option({"--objective", "training objective: pairs with masks, masks alone, or the next token"},
           o.instances.objective);
    option({"--nsp", "second part of half of the pairs: from another document, swapped with the first part, "
                     "or always the next sentence"},
           o.instances.nextSentence);
    option({"--whole-word", "mask all pieces of a word or none"}, o.instances.wholeWords);
    option({"--dupe", "passes over every document, each with different pairs and masks", between(1, 1000),
            "use 1 to 1000, usually 5"},
           o.dupeFactor);
    option({"--seed", "seed of all random numbers"}, o.instances.seed);
}

template <typename Options, typename Visitor>
void describeShards(Options& o, Visitor&& option)
{
    static_assert(PrepareOptions::kMinTrainingShards == 2); // as the texts say
    option({"--name", "first part of the shards' names"}, o.corpus);
    option({"--shards",
            "training shards of equal size, at least 2; ideally a multiple of the number of ranks",
            between(PrepareOptions::kMinTrainingShards, 65536),
            "use at least 2, ideally a multiple of the number of ranks: the usual training scripts skip a "
            "lone shard"},
           o.trainingShards);
    option({"--test-shards", "shards held out for tests", between(1, 65536), "use 1 or more"}, o.testShards);
    option({"--test-fraction", "share of documents held out", fraction(), "use 0 (no test shards) to 0.9"},
           o.testFraction);
}

template <typename Options, typename Visitor>
void describeTask(Options& o, Visitor&& option)
{
    option({"--task", "the files hold examples of a task: labelled sentences or pairs (.tsv, .csv, .jsonl, "
                      ".parquet, .arrow, folders of GLUE), numbers for them, tagged words (CoNLL columns, "
                      ".jsonl, .parquet, .arrow), questions (SQuAD, .parquet, .arrow), prompts with "
                      "completions"},
           o.task.kind);
    option({"--pair", "column of the second sentence"}, o.task.pair);
    option({"--label", "column of the label, number, tags or completion"}, o.task.label);
    option({"--no-header", "the first line of the files is an example"}, o.task.noHeader);
    option({"--doc-stride", "tokens that two rows of a long text share, at most half of a row's",
            between(0, PrepareOptions::kMaxSequenceLength), "use 0 to 65536, usually 128"},
           o.task.docStride);
}

template <typename Options, typename Visitor>
void describeResources(Options& o, Visitor&& option)
{
    option({.option = "--memory",
            .help = "memory limit of the process, such as 1G; each thread uses 16M of it",
            .range = atLeast(128 * kMiB),
            .hint = "use at least 128 MiB",
            .isSize = true},
           o.memoryBytes);
    option({"--threads", "0 = one per core; does not change the result", between(0, 1024),
            "use 1 to 1024, or 0 for one per core"},
           o.threads);
}

template <typename Options, typename Visitor>
void describeProvenance(Options& o, Visitor&& option)
{
    option({"--provenance", "add columns with the source documents and sentences of each row"},
           o.extra.provenance);
}

/// All of them.
template <typename Options, typename Visitor>
void describeOptions(Options& o, Visitor&& option)
{
    describeReading(o, option);
    describeText(o, option);
    describeRows(o, option);
    describeShards(o, option);
    describeTask(o, option);
    describeResources(o, option);
    describeProvenance(o, option);
}

} // namespace trainyard
