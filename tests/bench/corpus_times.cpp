// How fast a corpus is decompressed and cut into pieces, without parsing, against libbz2 on the same file.

#include <CLI/CLI.hpp>
#include <bzlib.h>
#include <chrono>
#include <ctime>

#include <fmt/format.h>

#include "datasets/input/corpus_input.h"

using namespace trainyard;

namespace {

struct Times {
    double seconds;
    double processorSeconds; ///< of all threads
    std::uint64_t bytes;     ///< decompressed
};

double processorSeconds()
{
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

template <typename Read>
Times measure(const Read& read)
{
    const auto begin = std::chrono::steady_clock::now();
    const double processorBegin = processorSeconds();
    const std::uint64_t bytes = read();
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    return {elapsed.count(), processorSeconds() - processorBegin, bytes};
}

std::uint64_t readPieces(const std::filesystem::path& file, int threads)
{
    auto input = CorpusInput::open({{file}}, threads).value();
    std::uint64_t bytes = 0;
    while (const auto piece = input.next().value())
        bytes += piece->bytes.size();
    return bytes;
}

std::uint64_t readByLibrary(const std::filesystem::path& file)
{
    FILE* const compressed = std::fopen(file.c_str(), "rb");
    int status = BZ_OK;
    BZFILE* const stream = BZ2_bzReadOpen(&status, compressed, 0, 0, nullptr, 0);
    std::vector<char> buffer(1 << 18);
    std::uint64_t bytes = 0;
    while (status == BZ_OK)
        bytes += static_cast<std::uint64_t>(
            BZ2_bzRead(&status, stream, buffer.data(), static_cast<int>(buffer.size())));
    BZ2_bzReadClose(&status, stream);
    std::fclose(compressed);
    return bytes;
}

void print(const std::string& name, const Times& times)
{
    const double megabytes = static_cast<double>(times.bytes) * 1e-6;
    fmt::print("{:<12} {:7.1f} MB/s  {:7.1f} MB per second of processor time\n", name,
               megabytes / times.seconds, megabytes / times.processorSeconds);
}

} // namespace

int main(int argc, char** argv)
{
    CLI::App app("decompresses a single-stream .xml.bz2 dump, in turns with libbz2");
    std::filesystem::path file;
    int rounds = 3;
    app.add_option("dump", file)->required()->check(CLI::ExistingFile);
    app.add_option("--rounds", rounds)->capture_default_str();
    CLI11_PARSE(app, argc, argv);
    for (int round = 0; round < rounds; ++round) {
        print("libbz2", measure([&] { return readByLibrary(file); }));
        for (const int threads : {1, 2, 4})
            print(fmt::format("{} threads", threads), measure([&] { return readPieces(file, threads); }));
    }
    return 0;
}
