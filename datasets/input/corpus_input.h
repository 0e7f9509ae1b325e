#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <vector>

#include "datasets/input/byte_source.h"
#include "datasets/input/corpus_piece.h"
#include "datasets/input/piece_source.h"
#include "datasets/tables/table_reader.h"

namespace trainyard {

/// What a corpus consists of.
struct CorpusFiles {
    std::vector<std::filesystem::path> paths; ///< "-" is standard input
    CorpusFormat format = CorpusFormat::Auto;
    std::string column = "text"; ///< of JSON lines, Parquet and Arrow: with the texts
};

/// Reads the files of a corpus one after the other, as pieces to be parsed in parallel by parsePiece(). The
/// pieces depend only on the files: not on `threads`, and not on whether reading was resumed in between. One
/// thread at a time.
class CorpusInput {
public:
    /// `from` is the begin or end of a piece of an input with the same files; standard input cannot be opened
    /// in the middle. All files are opened first, so that a wrong path is reported at the start and not after
    /// hours. `threads`: maximum number of decompressing threads. `stopped` ends reading with Cancelled while
    /// a pipe is silent.
    static Result<CorpusInput> open(
        CorpusFiles files, int threads, const CorpusPosition& from = {},
        StopAsked stopped = [] { return false; });

    /// Returns nullopt at the end of the last file. BadInput names the file and the last document that was
    /// read completely.
    Result<std::optional<CorpusPiece>> next();

    /// The budget that decompression takes its threads from. Threads that parse pieces should take theirs
    /// from it too; together they are never more than `threads`.
    ThreadBudget& threads() const { return *m_means.threads; }
    std::uint64_t bytesRead() const;                          ///< of the files as stored (compressed)
    std::uint64_t bytesTotal() const { return m_bytesTotal; } ///< 0 = unknown
    /// Returns the formats of the files up to the current one.
    const std::set<CorpusFormat>& formats() const { return m_formats; }

private:
    /// A file as it was when all were opened.
    struct File {
        std::filesystem::path path;
        std::uint64_t bytes = 0;        ///< 0 = not known: it can be read once
        std::optional<TableKind> table; ///< nullopt = none
        bool isIndexed = false;         ///< an .idx of Megatron
    };

    CorpusInput(CorpusFiles files, ReadingMeans means);
    static CorpusFormat foundIn(const File& file);
    Result<File> checked(const std::filesystem::path& path) const;
    Result<std::unique_ptr<PieceSource>> piecesOf(const CorpusPosition& from) const;
    Status requireSecondReading(std::uint32_t file) const;
    Status lookAtFilesBefore(std::uint32_t file);
    Status openFile(const CorpusPosition& from);

    CorpusFiles m_asked;
    std::vector<File> m_files;
    ReadingMeans m_means;
    std::unique_ptr<PieceSource> m_pieces; ///< of the file of m_position; null = not open yet
    CorpusPosition m_position;
    std::uint64_t m_bytesBefore = 0; ///< of the files that were read completely
    std::uint64_t m_bytesTotal = 0;
    std::set<CorpusFormat> m_formats;
};

} // namespace trainyard
