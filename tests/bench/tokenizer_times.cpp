#include <chrono>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <functional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "datasets/tokenizer/wordpiece_tokenizer.h"
#include "datasets/tokenizer_json/tokenizer_file.h"

using namespace trainyard;

namespace {

using Ids = std::vector<std::int32_t>;

struct Arguments {
    std::string tokenizer;
    std::string text;
    std::string ids;
    bool cased = false;
    int passes = 5;
};

double processorSeconds()
{
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

std::vector<std::string> linesOf(const std::string& file)
{
    std::ifstream in(file, std::ios::binary);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);)
        lines.push_back(line);
    return lines;
}

double secondsToEncode(const std::vector<std::string>& lines,
                       const std::function<void(const std::string&)>& encode)
{
    const double before = processorSeconds();
    for (const std::string& line : lines)
        encode(line);
    return processorSeconds() - before;
}

/// One line of ids for each line of the text.
void writeIds(const Tokenizer& tokenizer, const std::vector<std::string>& lines, const std::string& file)
{
    const auto encoder = tokenizer.encoder();
    std::ofstream out(file);
    for (const std::string& line : lines) {
        Ids ids;
        encoder->encode(line, ids);
        out << fmt::format("{}\n", fmt::join(ids, " "));
    }
}

/// Processor time of passes over the text: the first with nothing remembered, then further ones.
void measure(const Tokenizer& tokenizer, const std::vector<std::string>& lines, int passes)
{
    std::vector<double> cold, warm;
    Ids ids;
    for (int pass = 0; pass < passes; ++pass) {
        const auto encoder = tokenizer.encoder();
        const auto encode = [&](const std::string& line) { encoder->encode(line, ids); };
        ids.clear();
        cold.push_back(secondsToEncode(lines, encode));
        for (int again = 0; again < passes; ++again) {
            ids.clear();
            warm.push_back(secondsToEncode(lines, encode));
        }
    }
    fmt::print("{{\"cold\": [{}], \"warm\": [{}]}}\n", fmt::join(cold, ", "), fmt::join(warm, ", "));
}

/// Of a tokenizer.json or a vocab.txt.
Result<std::unique_ptr<Tokenizer>> tokenizerOf(const Arguments& arguments)
{
    if (arguments.tokenizer.ends_with(".json"))
        return loadTokenizer(arguments.tokenizer);
    TRAINYARD_TRY(const Vocabulary vocabulary, Vocabulary::load(arguments.tokenizer));
    return std::unique_ptr<Tokenizer>(
        std::make_unique<WordPieceTokenizer>(vocabulary, huggingFaceTables(), arguments.cased));
}

} // namespace

/// One side of compare_tokenizers.
int main(int argc, char** argv)
{
    CLI::App app("Processor time of a tokenizer over the lines of a text, as JSON");
    Arguments arguments;
    app.add_option("tokenizer", arguments.tokenizer, "vocab.txt or tokenizer.json")->required();
    app.add_option("text", arguments.text, "one document per line")->required();
    app.add_flag("--cased", arguments.cased);
    app.add_option("--passes", arguments.passes);
    app.add_option("--ids", arguments.ids, "write the ids of every line to this file and measure nothing");
    CLI11_PARSE(app, argc, argv);
    const auto tokenizer = tokenizerOf(arguments);
    if (!tokenizer.ok()) {
        fmt::print(stderr, "tokenizer_times: {}\n", tokenizer.error().text());
        return 2;
    }
    const std::vector<std::string> lines = linesOf(arguments.text);
    if (arguments.ids.empty())
        measure(**tokenizer, lines, arguments.passes);
    else
        writeIds(**tokenizer, lines, arguments.ids);
    return 0;
}
