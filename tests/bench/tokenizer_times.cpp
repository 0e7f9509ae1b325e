#include <chrono>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <functional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "datasets/tokenizer/wordpiece_encoder.h"

using namespace trainyard;

namespace {

using Ids = std::vector<std::int32_t>;

struct Arguments {
    std::string vocabulary;
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
void writeIds(const WordPiece& tokenizer, const std::vector<std::string>& lines, const std::string& file)
{
    WordPieceEncoder encoder(tokenizer);
    std::ofstream out(file);
    for (const std::string& line : lines) {
        Ids ids;
        encoder.encode(line, ids);
        out << fmt::format("{}\n", fmt::join(ids, " "));
    }
}

/// Processor time of passes over the text: the first with nothing remembered, then further ones; and without
/// remembering anything.
void measure(const WordPiece& tokenizer, const std::vector<std::string>& lines, int passes)
{
    std::vector<double> cold, warm, plain;
    Ids ids;
    for (int pass = 0; pass < passes; ++pass) {
        WordPieceEncoder encoder(tokenizer);
        const auto encode = [&](const std::string& line) { encoder.encode(line, ids); };
        ids.clear();
        cold.push_back(secondsToEncode(lines, encode));
        for (int again = 0; again < passes; ++again) {
            ids.clear();
            warm.push_back(secondsToEncode(lines, encode));
        }
        ids.clear();
        plain.push_back(
            secondsToEncode(lines, [&](const std::string& line) { tokenizer.encode(line, ids); }));
    }
    fmt::print("{{\"cold\": [{}], \"warm\": [{}], \"plain\": [{}]}}\n", fmt::join(cold, ", "),
               fmt::join(warm, ", "), fmt::join(plain, ", "));
}

} // namespace

/// One side of compare_tokenizers.
int main(int argc, char** argv)
{
    CLI::App app("Processor time of WordPiece over the lines of a text, as JSON");
    Arguments arguments;
    app.add_option("vocabulary", arguments.vocabulary)->required();
    app.add_option("text", arguments.text, "one document per line")->required();
    app.add_flag("--cased", arguments.cased);
    app.add_option("--passes", arguments.passes);
    app.add_option("--ids", arguments.ids, "write the ids of every line to this file and measure nothing");
    CLI11_PARSE(app, argc, argv);
    const auto vocabulary = Vocabulary::load(arguments.vocabulary);
    if (!vocabulary.ok()) {
        fmt::print(stderr, "tokenizer_times: {}\n", vocabulary.error().text());
        return 2;
    }
    const WordPiece tokenizer(vocabulary.value(), huggingFaceTables(), arguments.cased);
    const std::vector<std::string> lines = linesOf(arguments.text);
    if (arguments.ids.empty())
        measure(tokenizer, lines, arguments.passes);
    else
        writeIds(tokenizer, lines, arguments.ids);
    return 0;
}
