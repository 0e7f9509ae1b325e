#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <vector>

#include "datasets/input/corpus_piece.h"
#include "datasets/input/piece_splitter.h"

namespace trainyard {

/// The files of a corpus, one after the other, as pieces to be parsed in parallel by parsePiece(). The pieces
/// depend on the files alone: not on `threads`, and not on whether reading began anew in between. next() and
/// the rest: one thread at a time.
class CorpusInput {
public:
    /// "-" among `files` is the standard input. `from` is nothing but a piece's begin or end, from an input
    /// with the same files and format; the standard input cannot be opened in the middle. All files are
    /// opened at once, so that a misspelt one does not show after hours. `threads`: how many decompress, at
    /// most. `stopped` ends reading with Cancelled while a pipe is silent.
    static Result<CorpusInput> open(
        std::vector<std::filesystem::path> files, CorpusFormat format, int threads,
        const CorpusPosition& from = {}, StopAsked stopped = [] { return false; });

    /// Nothing at the end of the last file. BadInput names the file and the last document that was read
    /// whole.
    Result<std::optional<CorpusPiece>> next();

    /// Decompression takes its threads from here; whoever parses pieces in between may do so too, and all
    /// together are never more than `threads` at a time.
    ThreadBudget& threads() const { return *m_means.threads; }
    std::uint64_t bytesRead() const;                          ///< of the files as they lie there
    std::uint64_t bytesTotal() const { return m_bytesTotal; } ///< 0 = unknown
    /// What the files were, up to the one that is being read.
    const std::set<CorpusFormat>& formats() const { return m_formats; }

private:
    CorpusInput(std::vector<std::filesystem::path> files, CorpusFormat format, ReadingMeans means);
    Status requireSecondReading(std::uint32_t file) const;
    Status lookAtFilesBefore(std::uint32_t file);
    Status openFile(const CorpusPosition& from);

    std::vector<std::filesystem::path> m_files;
    std::vector<std::uint64_t> m_fileBytes;
    CorpusFormat m_format;
    ReadingMeans m_means;
    std::optional<PieceSplitter> m_pieces; ///< of the file of m_position; nothing = not open yet
    CorpusPosition m_position;
    std::uint64_t m_bytesBefore = 0; ///< of the files that are read whole
    std::uint64_t m_bytesTotal = 0;
    std::set<CorpusFormat> m_formats;
};

} // namespace trainyard
