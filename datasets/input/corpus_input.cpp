#include "datasets/input/corpus_input.h"

#include <numeric>

#include "datasets/input/raw_file.h"

namespace trainyard {

namespace fs = std::filesystem;

CorpusInput::CorpusInput(std::vector<fs::path> files, CorpusFormat format,
                         std::shared_ptr<ThreadBudget> threads)
    : m_files(std::move(files)), m_format(format), m_threads(std::move(threads))
{
}

Result<CorpusInput> CorpusInput::open(std::vector<fs::path> files, CorpusFormat format, int threads,
                                      const CorpusPosition& from)
{
    CorpusInput input(std::move(files), format, std::make_shared<ThreadBudget>(threads));
    bool sizesKnown = true;
    for (const fs::path& path : input.m_files) {
        TRAINYARD_TRY(const RawFile file, RawFile::open(path));
        input.m_fileBytes.push_back(file.size());
        sizesKnown = sizesKnown && file.seekable();
    }
    if (sizesKnown)
        input.m_bytesTotal =
            std::accumulate(input.m_fileBytes.begin(), input.m_fileBytes.end(), std::uint64_t{0});
    if (from.file > input.m_files.size())
        return badInput("there are fewer files than before", "name the same files in the same order");
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
    return badInput(m_files[file].string() + " can be read once, and only from its beginning",
                    "begin anew, or give a file");
}

/// formats() are the same wherever reading begins.
Status CorpusInput::lookAtFilesBefore(std::uint32_t file)
{
    for (std::uint32_t i = 0; i < file; ++i) {
        TRAINYARD_TRY_STATUS(requireSecondReading(i));
        TRAINYARD_TRY(const PieceSplitter pieces,
                      PieceSplitter::open(m_files[i], m_format, m_threads, {i, 0, 0, 0, 0}));
        m_formats.insert(pieces.format());
    }
    return {};
}

Status CorpusInput::openFile(const CorpusPosition& from)
{
    TRAINYARD_TRY(m_pieces, PieceSplitter::open(m_files[from.file], m_format, m_threads, from));
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
