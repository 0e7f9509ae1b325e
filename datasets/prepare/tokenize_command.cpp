#include "datasets/prepare/commands.h"

#include <iostream>
#include <memory>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "datasets/tokenizer/wordpiece_tokenizer.h"
#include "datasets/tokenizer_json/tokenizer_file.h"
#include "engine/base/standard_streams.h"

namespace trainyard {

namespace {

struct TokenizeArguments {
    std::filesystem::path tokenizer;
    std::filesystem::path vocabulary;
    std::string profile = "hf";
    bool cased = false;
};

constexpr std::size_t kPieceBytes = 64 * 1024;

std::optional<std::string> textIn(const std::string& line)
{
    auto item = nlohmann::json::parse(line, nullptr, false);
    const bool fine = item.is_object() && item.contains("text") && item["text"].is_string();
    return fine ? std::optional(std::move(item["text"].get_ref<std::string&>())) : std::nullopt;
}

/// Returns false when the reader has closed the pipe.
bool put(const std::string& lines)
{
    printOutput(lines);
    return outputStatus().ok();
}

Result<std::unique_ptr<Tokenizer>> tokenizerOf(const TokenizeArguments& arguments)
{
    if (!arguments.tokenizer.empty())
        return loadTokenizer(arguments.tokenizer);
    if (arguments.vocabulary.empty())
        return badInput("no tokenizer is given", "give --tokenizer tokenizer.json or --vocab vocab.txt");
    TRAINYARD_TRY(const Vocabulary vocabulary, Vocabulary::load(arguments.vocabulary));
    return std::unique_ptr<Tokenizer>(
        std::make_unique<WordPieceTokenizer>(vocabulary, *unicodeTables(arguments.profile), arguments.cased));
}

/// Reads lines {"text": ...} and writes a line {"ids": [...]} for each. BadInput names the first line that is
/// not such an object.
Status tokenize(const TokenizeArguments& arguments)
{
    TRAINYARD_TRY(const std::unique_ptr<Tokenizer> tokenizer, tokenizerOf(arguments));
    const std::unique_ptr<TextEncoder> encoder = tokenizer->encoder();
    std::ios::sync_with_stdio(false);
    std::string line, waiting;
    std::vector<std::int32_t> ids;
    std::size_t number = 0;
    bool wanted = true;
    while (wanted && std::getline(std::cin, line)) {
        ++number;
        const auto text = textIn(line);
        if (!text) {
            put(waiting);
            return badInput(fmt::format("line {} is not {{\"text\": \"...\"}}", number),
                            "use one JSON object per line, in UTF-8");
        }
        ids.clear();
        encoder->encode(*text, ids);
        waiting += fmt::format("{{\"ids\":{}}}\n", nlohmann::json(ids).dump());
        if (waiting.size() >= kPieceBytes)
            wanted = put(std::exchange(waiting, {}));
    }
    put(waiting);
    return {};
}

} // namespace

Command addTokenizeCommand(CLI::App& app)
{
    auto arguments = std::make_shared<TokenizeArguments>();
    CLI::App* command = app.add_subcommand("tokenize", "convert JSON lines {\"text\"} on stdin to {\"ids\"} "
                                                       "on stdout, nothing added such as [CLS] and [SEP]");
    command->footer(
        "Examples:\n  echo '{\"text\": \"the train departs\"}' | trainyard tokenize --vocab vocab.txt\n"
        "  echo '{\"text\": \"the train departs\"}' | trainyard tokenize --tokenizer tokenizer.json");
    CLI::Option* const tokenizer =
        command->add_option("--tokenizer", arguments->tokenizer,
                            "tokenizer.json of Hugging Face tokenizers: byte pair encoding or WordPiece");
    command->add_option("--vocab", arguments->vocabulary, "WordPiece vocabulary (vocab.txt)")
        ->excludes(tokenizer);
    command->add_flag("--cased", arguments->cased, "keep case and accents")->excludes(tokenizer);
    command
        ->add_option("--profile", arguments->profile,
                     "tokenizer to match: Hugging Face's, or Google's and NVIDIA's tokenization.py")
        ->check(CLI::IsMember({"hf", "google-py"}))
        ->capture_default_str()
        ->excludes(tokenizer);
    return {command, [arguments] { return tokenize(*arguments); }};
}

} // namespace trainyard
