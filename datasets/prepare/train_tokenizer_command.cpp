#include "datasets/prepare/commands.h"

#include <algorithm>
#include <iostream>
#include <memory>
#include <thread>

#include "datasets/job/ordered_pipeline.h"
#include "datasets/prepare/line_blocks.h"
#include "datasets/prepare/text_of_line.h"
#include "datasets/tokenizer_json/byte_pair_trainer.h"
#include "engine/base/file.h"

namespace trainyard {

namespace {

struct TrainArguments {
    std::filesystem::path out;
    std::string split = "gpt2";
    BytePairTraining training;
    int threads = 0;
};

struct CountedBlock {
    WordCounts counts;
    std::optional<std::size_t> badLine; ///< number of the line at which it ends
};

CountedBlock countBlock(const LineBlock& block, const PieceCounter& counter)
{
    CountedBlock out;
    std::string_view rest = block.text;
    for (std::size_t number = block.firstLine; !rest.empty() && !out.badLine; ++number) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        if (const auto text = textOfLine(rest.substr(0, end)))
            counter.count(*text, out.counts);
        else
            out.badLine = number;
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return out;
}

Status train(const TrainArguments& arguments)
{
    std::ios::sync_with_stdio(false);
    const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    const PieceCounter counter(arguments.training.split);
    LineReader reader;
    WordCounts counts;
    TRAINYARD_TRY_STATUS((OrderedPipeline<LineBlock, CountedBlock>::run(
        arguments.threads == 0 ? cores : arguments.threads, [&] { return reader.next(); },
        [&](LineBlock&& block) { return countBlock(block, counter); },
        [&](CountedBlock&& block) -> Status {
            if (block.badLine)
                return notATextLine(*block.badLine);
            addCounts(block.counts, kMaxWords, counts);
            return {};
        })));
    TRAINYARD_TRY(const std::string tokenizer, trainBytePairs(counts, arguments.training));
    return writeFileAtomically(arguments.out, tokenizer);
}

} // namespace

Command addTrainTokenizerCommand(CLI::App& app)
{
    auto arguments = std::make_shared<TrainArguments>();
    BytePairTraining& training = arguments->training;
    CLI::App* command = app.add_subcommand(
        "train-tokenizer",
        "train a byte-level BPE on JSON lines {\"text\"} on stdin and write its tokenizer.json");
    command->footer("Example:\n  trainyard train-tokenizer --size 16384 --out tokenizer.json < lines.jsonl");
    command->add_option("--out", arguments->out, "file to write (tokenizer.json)")->required();
    command->add_option("--size", training.size, "tokens, with the special ones and 256 bytes")
        ->capture_default_str();
    command
        ->add_option("--split", arguments->split,
                     "how text is cut before bytes are merged: as this model does")
        ->check(CLI::IsMember({"gpt2", "llama3", "qwen"}))
        ->capture_default_str();
    command->add_option("--special", training.special, "special tokens; they get the first ids")
        ->capture_default_str();
    command
        ->add_option("--least-frequency", training.leastFrequency, "minimum frequency of a pair to be merged")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    command->add_option("--threads", arguments->threads, "0 = one per core; does not change the result")
        ->check(CLI::Range(0, 1024))
        ->capture_default_str();
    return {command, [arguments] {
                arguments->training.split = arguments->split == "gpt2"     ? BytePairSplit::Gpt2
                                            : arguments->split == "llama3" ? BytePairSplit::Llama3
                                                                           : BytePairSplit::Qwen;
                return train(*arguments);
            }};
}

} // namespace trainyard
