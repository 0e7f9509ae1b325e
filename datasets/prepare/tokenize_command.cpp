#include "datasets/prepare/commands.h"

#include <iostream>
#include <memory>
#include <string>

#include "datasets/prepare/tokenize_lines.h"
#include "engine/base/standard_streams.h"

namespace trainyard {

namespace {

struct TokenizeArguments {
    std::filesystem::path vocabulary;
    std::string profile = "hf";
    bool cased = false;
};

Status tokenize(const TokenizeArguments& arguments)
{
    TRAINYARD_TRY(const Vocabulary vocabulary, Vocabulary::load(arguments.vocabulary));
    std::ios::sync_with_stdio(false);
    const auto put = [](std::string_view lines) {
        printOutput(lines);
        return outputStatus().ok();
    };
    const WordPiece tokenizer(vocabulary, *unicodeTables(arguments.profile), arguments.cased);
    return tokenizeLines(tokenizer, std::cin, put);
}

} // namespace

Command addTokenizeCommand(CLI::App& app)
{
    auto arguments = std::make_shared<TokenizeArguments>();
    CLI::App* command = app.add_subcommand(
        "tokenize", "convert JSON lines {\"text\"} on stdin to {\"ids\"} on stdout, without [CLS] and [SEP]");
    command->footer(
        "Example:\n  echo '{\"text\": \"the train departs\"}' | trainyard tokenize --vocab vocab.txt");
    command->add_option("--vocab", arguments->vocabulary, "WordPiece vocabulary (vocab.txt)")->required();
    command->add_flag("--cased", arguments->cased, "keep case and accents");
    command
        ->add_option("--profile", arguments->profile,
                     "tokenizer to match: Hugging Face's, or Google's and NVIDIA's tokenization.py")
        ->check(CLI::IsMember({"hf", "google-py"}))
        ->capture_default_str();
    return {command, [arguments] { return tokenize(*arguments); }};
}

} // namespace trainyard
