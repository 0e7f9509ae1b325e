#include "datasets/input/corpus_input.h"

#include <algorithm>
#include <numeric>

#include "datasets/input/archives.h"
#include "datasets/input/format_sniffer.h"
#include "datasets/input/raw_file.h"

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

/// The size of a file that can be opened; 0 = not known.
Result<std::uint64_t> checkFile(const fs::path& path, CorpusFormat format)
{
    std::error_code ignored;
    if (fs::is_fifo(path, ignored))
        return std::uint64_t{0}; // whoever writes into it would lose its reader
    TRAINYARD_TRY(RawFile file, RawFile::open(path));
    if (file.seekable())
        TRAINYARD_TRY_STATUS(checkHead(file, format));
    return file.size();
}

} // namespace

CorpusInput::CorpusInput(std::vector<fs::path> files, CorpusFormat format, ReadingMeans means)
    : m_files(std::move(files)), m_format(format), m_means(std::move(means))
{
}

Result<CorpusInput> CorpusInput::open(std::vector<fs::path> files, CorpusFormat format, int threads,
                                      const CorpusPosition& from, StopAsked stopped)
{
    if (std::ranges::count(files, fs::path("-")) > 1)
        return badInput("the standard input is given twice", "use - once; `cat` joins files");
    CorpusInput input(std::move(files), format,
                      {std::make_shared<ThreadBudget>(threads), std::move(stopped)});
    for (const fs::path& path : input.m_files) {
        TRAINYARD_TRY(const std::uint64_t size, checkFile(path, format));
        input.m_fileBytes.push_back(size);
    }
    if (std::ranges::find(input.m_fileBytes, 0u) == input.m_fileBytes.end())
        input.m_bytesTotal =
            std::accumulate(input.m_fileBytes.begin(), input.m_fileBytes.end(), std::uint64_t{0});
    if (from.file > input.m_files.size())
        return badInput("there are fewer files than before", "pass the same files in the same order");
    input.m_position = from;
    input.m_bytesBefore =
        std::accumulate(input.m_fileBytes.begin(), input.m_fileBytes.begin() + from.file, std::uint64_t{0});
    TRAINYARD_TRY_STATUS(input.lookAtFilesBefore(from.file));
    if (from.offset == 0 && from.skip == 0)
        return input;
    TRAINYARD_TRY_STATUS(input.requireSecondReading(from.file));
    TRAINYARD_TRY_STATUS(input.openFile(from));
    return input;
}

Status CorpusInput::requireSecondReading(std::uint32_t file) const
{
    if (m_fileBytes.at(file) > 0)
        return {};
    return badInput(nameForMessages(m_files[file]) + " can only be read once, from its beginning",
                    "start again, or pass a file");
}

/// Makes formats() independent of the position at which reading starts.
Status CorpusInput::lookAtFilesBefore(std::uint32_t file)
{
    for (std::uint32_t i = 0; i < file; ++i) {
        TRAINYARD_TRY_STATUS(requireSecondReading(i));
        TRAINYARD_TRY(const PieceSplitter pieces,
                      PieceSplitter::open(m_files[i], m_format, m_means, {i, 0, 0, 0, 0}));
        m_formats.insert(pieces.format());
    }
    return {};
}

Status CorpusInput::openFile(const CorpusPosition& from)
{
    TRAINYARD_TRY(m_pieces, PieceSplitter::open(m_files[from.file], m_format, m_means, from));
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
