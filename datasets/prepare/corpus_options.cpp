#include "datasets/prepare/corpus_options.h"

namespace trainyard {

void addCorpusOptions(CLI::App& command, PrepareOptions& options)
{
    addChoice(command, "--format", options.format, kFormatNames, "format of the files");
    command.add_flag("--headings", options.keepHeadings, "keep headings, each as a sentence");
    command.add_flag("--lists", options.keepLists, "keep list items, each as a sentence");
    command.add_option(
        "--punkt", options.punkt,
        "split sentences with the Punkt parameters in this folder instead of the built-in rules");
    command
        .add_option("--profile", options.profile,
                    "tokenizer to match: Hugging Face's, or Google's and NVIDIA's tokenization.py")
        ->check(CLI::IsMember({"hf", "google-py"}))
        ->capture_default_str();
    command.add_flag("--cased", options.cased, "keep case and accents");
}

void addResourceOptions(CLI::App& command, PrepareOptions& options)
{
    command
        .add_option("--memory", options.memoryBytes,
                    "memory limit of the process, such as 1G; each thread uses 16M of it")
        ->transform(CLI::AsSizeValue(false))
        ->default_str("1G");
    command.add_option("--threads", options.threads, "0 = one per core; does not change the result")
        ->capture_default_str();
}

} // namespace trainyard
