#pragma once

#include <deque>
#include <filesystem>
#include <memory>
#include <optional>

#include "datasets/input/byte_source.h"
#include "datasets/input/corpus_piece.h"
#include "datasets/input/document_scanner.h"
#include "datasets/input/piece_source.h"

namespace trainyard {

/// The text of one file. Memory is bounded by the longest document.
class PieceSplitter final : public PieceSource {
public:
    static constexpr std::size_t kPieceBytes = 256u << 10; ///< a piece ends with the document that reaches it

    /// `from` is a position in this file. BadInput names the file.
    static Result<PieceSplitter> open(const std::filesystem::path& file, CorpusFormat format,
                                      const ReadingMeans& means, CorpusPosition from);

    Result<std::optional<CorpusPiece>> next() override;
    CorpusFormat format() const override { return m_format; }
    CorpusPosition position() const { return m_position; }
    std::uint64_t fileOffset() const override { return m_source->fileOffset(); }

private:
    /// Offset in the text from which on the restart and skip of a chunk apply.
    struct Mark {
        std::uint64_t textOffset;
        std::uint64_t restart;
        std::uint64_t skip;
    };

    PieceSplitter(std::filesystem::path file, std::unique_ptr<ByteSource> source, CorpusPosition from);
    Status begin(CorpusFormat asked);
    Status readHeader();
    Status goOnAt(const ReadingMeans& means, const CorpusPosition& from);

    std::string_view waiting() const { return std::string_view(m_text).substr(m_used); }
    Status fetch();
    void passBy(std::size_t bytes);
    Status leaveOutLongDocument(std::optional<std::size_t> end);
    CorpusPiece cut();

    std::string place() const;
    Error problem(const Error& error) const;

    std::filesystem::path m_file;
    std::string m_name; ///< for messages
    std::unique_ptr<ByteSource> m_source;
    CorpusFormat m_format = CorpusFormat::Auto;
    std::unique_ptr<DocumentScanner> m_scanner;
    std::shared_ptr<const SiteInfo> m_site = std::make_shared<SiteInfo>();

    std::string m_text;         ///< text read so far; the first m_used bytes are consumed
    std::size_t m_used = 0;     ///< of m_text
    std::uint64_t m_offset = 0; ///< of the first waiting byte, since the source was opened
    std::deque<Mark> m_marks;
    bool m_ended = false; ///< end of the text

    CorpusPosition m_begin;       ///< of the next piece
    CorpusPosition m_position;    ///< of the first waiting byte
    std::size_t m_pieceBytes = 0; ///< bytes of complete documents among the waiting ones
    std::uint64_t m_pieceDocuments = 0;
    SkipCounters m_skipped;
    bool m_inLongDocument = false; ///< its beginning has been dropped already
    std::string m_after;           ///< the last page before the piece
};

} // namespace trainyard
