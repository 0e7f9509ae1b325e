#include "datasets/prepare/corpus_options.h"

namespace trainyard {

void addCorpusOptions(CLI::App& command, PrepareOptions& options)
{
    addChoice(command, "--format", options.format, kFormatNames, "what the files are");
    command.add_flag("--headings", options.keepHeadings, "keep headings, as sentences of their own");
    command.add_flag("--lists", options.keepLists, "keep the items of lists, as sentences");
    command.add_option("--punkt", options.punkt,
                       "cut sentences by the Punkt parameters in this folder, not by the built-in rules");
    command
        .add_option("--profile", options.profile,
                    "whose word pieces: Hugging Face's, or those of Google's and NVIDIA's tokenization.py")
        ->check(CLI::IsMember({"hf", "google-py"}))
        ->capture_default_str();
    command.add_flag("--cased", options.cased, "keep case and accents");
}

void addResourceOptions(CLI::App& command, PrepareOptions& options)
{
    command
        .add_option("--memory", options.memoryBytes,
                    "what the process may use, such as 1G; of it every thread takes 16M")
        ->transform(CLI::AsSizeValue(false))
        ->default_str("1G");
    command.add_option("--threads", options.threads, "0 = one per core; does not change the result")
        ->capture_default_str();
}

} // namespace trainyard
