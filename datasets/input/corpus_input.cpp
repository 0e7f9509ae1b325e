#include "datasets/input/corpus_input.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "datasets/input/archives.h"
#include "datasets/input/format_sniffer.h"
#include "datasets/input/indexed_pieces.h"
#include "datasets/input/piece_splitter.h"
#include "datasets/input/raw_file.h"
#include "datasets/input/table_pieces.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

/// Checks what is visible without decompressing, such as an error page of a server instead of a dump.
Status checkHead(RawFile& file, CorpusFormat format)
{
    TRAINYARD_TRY(const std::string_view head, file.peek(kArchiveHeadBytes));
    TRAINYARD_TRY_STATUS(refuseArchives(head, file.name()));
    if (format != CorpusFormat::Auto || !head.starts_with('<'))
        return {};
    const auto seen = sniffFormat(head);
    return seen.ok() ? Status() : seen.error().in(file.name());
}

template <typename Files>
std::uint64_t bytesOf(const Files& files)
{
    std::uint64_t bytes = 0;
    for (const auto& file : files)
        bytes += file.bytes;
    return bytes;
}

/// Refuses a --format that the content contradicts. `found`: Auto = some text.
Status checkFormat(CorpusFormat found, CorpusFormat format, const std::string& name)
{
    const bool asksForText =
        format != CorpusFormat::Parquet && format != CorpusFormat::Arrow && format != CorpusFormat::Megatron;
    if (found != CorpusFormat::Auto && format != CorpusFormat::Auto && format != found)
        return badInput(fmt::format("{} is {}, not {}", name, nameOf(found), nameOf(format)),
                        "leave out --format: such files are recognized");
    if (found == CorpusFormat::Auto && !asksForText)
        return badInput(fmt::format("{} is not {}", name, nameOf(format)),
                        "leave out --format, or pass such a file by its path, not through a pipe");
    return {};
}

} // namespace

CorpusInput::CorpusInput(CorpusFiles files, ReadingMeans means)
    : m_asked(std::move(files)), m_means(std::move(means))
{
}

Result<CorpusInput> CorpusInput::open(CorpusFiles files, int threads, const CorpusPosition& from,
                                      StopAsked stopped)
{
    if (std::ranges::count(files.paths, fs::path("-")) > 1)
        return badInput("the standard input is given twice", "use - once; `cat` joins files");
    CorpusInput input(std::move(files), {std::make_shared<ThreadBudget>(threads), std::move(stopped)});
    for (const fs::path& path : input.m_asked.paths) {
        TRAINYARD_TRY(File file, input.checked(path));
        input.m_files.push_back(std::move(file));
    }
    if (std::ranges::find(input.m_files, 0u, &File::bytes) == input.m_files.end())
        input.m_bytesTotal = bytesOf(input.m_files);
    if (from.file > input.m_files.size())
        return badInput("there are fewer files than before", "pass the same files in the same order");
    input.m_position = from;
    input.m_bytesBefore = bytesOf(std::span(input.m_files).first(from.file));
    TRAINYARD_TRY_STATUS(input.lookAtFilesBefore(from.file));
    if (from.offset == 0 && from.skip == 0)
        return input;
    TRAINYARD_TRY_STATUS(input.requireSecondReading(from.file));
    TRAINYARD_TRY_STATUS(input.openFile(from));
    return input;
}

/// What can be said of a file that can be opened, without decompressing it.
Result<CorpusInput::File> CorpusInput::checked(const fs::path& path) const
{
    File file{path, 0, std::nullopt};
    std::error_code ignored;
    if (fs::is_fifo(path, ignored))
        return file; // whoever writes into it would lose its reader
    TRAINYARD_TRY(RawFile raw, RawFile::open(path));
    file.bytes = raw.size();
    if (!raw.seekable())
        return file;
    TRAINYARD_TRY(const std::string_view head, raw.peek(kArchiveHeadBytes));
    file.table = tableKindOf(head);
    file.isIndexed = IndexedDataset::recognizes(head);
    TRAINYARD_TRY_STATUS(checkFormat(foundIn(file), m_asked.format, raw.name()));
    if (file.table) {
        TRAINYARD_TRY(const TableFile fits, TableFile::open(path, *file.table, m_asked.column));
    } else if (file.isIndexed) {
        TRAINYARD_TRY(const IndexedDataset fits, IndexedDataset::open(path));
        file.bytes = fits.bytes();
    } else {
        TRAINYARD_TRY_STATUS(checkHead(raw, m_asked.format));
    }
    return file;
}

/// Auto = some text.
CorpusFormat CorpusInput::foundIn(const File& file)
{
    if (file.table)
        return formatOf(*file.table);
    return file.isIndexed ? CorpusFormat::Megatron : CorpusFormat::Auto;
}

Status CorpusInput::requireSecondReading(std::uint32_t file) const
{
    if (m_files.at(file).bytes > 0)
        return {};
    return badInput(nameForMessages(m_files[file].path) + " can only be read once, from its beginning",
                    "start again, or pass a file");
}

/// Makes formats() independent of the position at which reading starts.
Status CorpusInput::lookAtFilesBefore(std::uint32_t file)
{
    for (std::uint32_t i = 0; i < file; ++i) {
        TRAINYARD_TRY_STATUS(requireSecondReading(i));
        TRAINYARD_TRY(const auto pieces, piecesOf({.file = i}));
        m_formats.insert(pieces->format());
    }
    return {};
}

Result<std::unique_ptr<PieceSource>> CorpusInput::piecesOf(const CorpusPosition& from) const
{
    const File& file = m_files[from.file];
    if (file.table) {
        TRAINYARD_TRY(TablePieces table, TablePieces::open(file.path, *file.table, m_asked.column, from));
        return std::unique_ptr<PieceSource>(std::make_unique<TablePieces>(std::move(table)));
    }
    if (file.isIndexed) {
        TRAINYARD_TRY(IndexedPieces indexed, IndexedPieces::open(file.path, from));
        return std::unique_ptr<PieceSource>(std::make_unique<IndexedPieces>(std::move(indexed)));
    }
    TRAINYARD_TRY(PieceSplitter text, PieceSplitter::open(file.path, m_asked.format, m_means, from));
    return std::unique_ptr<PieceSource>(std::make_unique<PieceSplitter>(std::move(text)));
}

Status CorpusInput::openFile(const CorpusPosition& from)
{
    TRAINYARD_TRY(m_pieces, piecesOf(from));
    m_formats.insert(m_pieces->format());
    return {};
}

Result<std::optional<CorpusPiece>> CorpusInput::next()
{
    for (;;) {
        if (!m_pieces && m_position.file == m_files.size())
            return std::optional<CorpusPiece>();
        if (!m_pieces)
            TRAINYARD_TRY_STATUS(openFile(m_position));
        TRAINYARD_TRY(auto piece, m_pieces->next());
        if (piece) {
            piece->column = m_asked.column;
            m_position = piece->end;
            return piece;
        }
        m_bytesBefore += m_pieces->fileOffset();
        m_pieces.reset();
        m_position = {m_position.file + 1, 0, 0, m_position.documents, 0};
    }
}

std::uint64_t CorpusInput::bytesRead() const
{
    return m_bytesBefore + (m_pieces ? m_pieces->fileOffset() : 0);
}

} // namespace trainyard
