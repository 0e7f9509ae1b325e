#include "datasets/prepare/commands.h"

#include <algorithm>
#include <charconv>
#include <iostream>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "datasets/job/ordered_pipeline.h"
#include "datasets/prepare/line_blocks.h"
#include "datasets/prepare/text_of_line.h"
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
    int threads = 0;
};

struct IdBlock {
    std::string lines;
    std::optional<std::size_t> badLine; ///< number of the line at which it ends
};

/// One encoder for each thread that works at the time.
class EncoderPool {
public:
    explicit EncoderPool(const Tokenizer& tokenizer) : m_tokenizer(tokenizer) {}

    std::unique_ptr<TextEncoder> take()
    {
        const std::lock_guard lock(m_mutex);
        if (m_free.empty())
            return m_tokenizer.encoder();
        auto encoder = std::move(m_free.back());
        m_free.pop_back();
        return encoder;
    }
    void giveBack(std::unique_ptr<TextEncoder> encoder)
    {
        const std::lock_guard lock(m_mutex);
        m_free.push_back(std::move(encoder));
    }

private:
    const Tokenizer& m_tokenizer;
    std::mutex m_mutex;
    std::vector<std::unique_ptr<TextEncoder>> m_free;
};

void appendLine(const std::vector<std::int32_t>& ids, std::string& out)
{
    out += "{\"ids\":[";
    for (std::size_t i = 0; i < ids.size(); ++i) {
        char digits[16];
        out.append(i == 0 ? "" : ",").append(digits, std::to_chars(digits, std::end(digits), ids[i]).ptr);
    }
    out += "]}\n";
}

IdBlock encode(const LineBlock& block, TextEncoder& encoder)
{
    IdBlock out;
    std::vector<std::int32_t> ids;
    std::string_view rest = block.text;
    for (std::size_t number = block.firstLine; !rest.empty(); ++number) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        const auto text = textOfLine(rest.substr(0, end));
        if (!text) {
            out.badLine = number;
            break;
        }
        ids.clear();
        encoder.encode(*text, ids);
        appendLine(ids, out.lines);
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return out;
}

Status put(const IdBlock& block)
{
    printOutput(block.lines);
    if (block.badLine)
        return notATextLine(*block.badLine);
    return outputStatus();
}

Result<std::unique_ptr<Tokenizer>> tokenizerOf(const TokenizeArguments& arguments)
{
    if (!arguments.tokenizer.empty())
        return loadTokenizer(arguments.tokenizer);
    if (arguments.vocabulary.empty())
        return badInput("no tokenizer given", "give --tokenizer tokenizer.json or --vocab vocab.txt");
    TRAINYARD_TRY(const Vocabulary vocabulary, Vocabulary::load(arguments.vocabulary));
    return std::unique_ptr<Tokenizer>(
        std::make_unique<WordPieceTokenizer>(vocabulary, *unicodeTables(arguments.profile), arguments.cased));
}

/// Reads lines {"text": ...} and writes a line {"ids": [...]} for each, in their order. BadInput names the
/// first line that is not such an object.
Status tokenize(const TokenizeArguments& arguments)
{
    TRAINYARD_TRY(const std::unique_ptr<Tokenizer> tokenizer, tokenizerOf(arguments));
    std::ios::sync_with_stdio(false);
    const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    LineReader reader;
    EncoderPool pool(*tokenizer);
    const Status status = OrderedPipeline<LineBlock, IdBlock>::run(
        arguments.threads == 0 ? cores : arguments.threads, [&] { return reader.next(); },
        [&](LineBlock&& block) {
            auto encoder = pool.take();
            IdBlock out = encode(block, *encoder);
            pool.giveBack(std::move(encoder));
            return out;
        },
        put);
    return outputStatus().ok() ? status : Status(); // that nobody reads on is for main() to judge
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
    command->add_option("--threads", arguments->threads, "0 = one per core; does not change the result")
        ->check(CLI::Range(0, 1024))
        ->capture_default_str();
    return {command, [arguments] { return tokenize(*arguments); }};
}

} // namespace trainyard
