#include "tests/fuzz/read_corpus.h"

#include "datasets/input/corpus_input.h"
#include "datasets/input/piece_parser.h"
#include "engine/base/check.h"
#include "engine/base/utf8.h"

namespace trainyard {

namespace {

void parse(const CorpusPiece& piece)
{
    SkipCounters counters;
    const auto documents = parsePiece(piece, counters);
    if (!documents.ok()) {
        TRAINYARD_CHECK(!documents.error().message.empty());
        return;
    }
    for (const CorpusDocument& document : documents.value()) {
        TRAINYARD_CHECK(isUtf8(document.text));
        TRAINYARD_CHECK(isUtf8(document.title));
    }
}

/// What is read when reading begins at `from`; nothing at the end or for an error.
std::optional<CorpusPiece> pieceAt(const std::filesystem::path& file, CorpusFormat format,
                                   const CorpusPosition& from)
{
    auto input = CorpusInput::open({{file}, format}, 1, from);
    if (!input.ok())
        return {};
    auto piece = input->next();
    return piece.ok() ? std::move(piece.value()) : std::nullopt;
}

} // namespace

void readCorpus(std::string_view bytes, CorpusFormat format)
{
    static const ScratchFolder folder;
    const std::filesystem::path file = folder.write("corpus", bytes);
    auto input = CorpusInput::open({{file}, format}, 1);
    if (!input.ok())
        return;
    CorpusPosition position;
    for (auto piece = input->next(); piece.ok() && piece.value(); piece = input->next()) {
        const CorpusPiece& found = *piece.value();
        TRAINYARD_CHECK(found.begin == position);
        const auto again = pieceAt(file, format, found.begin);
        TRAINYARD_CHECK(again && again->bytes == found.bytes && again->end == found.end);
        parse(found);
        position = found.end;
    }
}

} // namespace trainyard
