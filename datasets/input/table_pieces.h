#pragma once

#include <filesystem>

#include "datasets/input/piece_source.h"
#include "datasets/input/table_file.h"

namespace trainyard {

/// The rows of a table as documents, with the columns "id" and "title" if it has them. Rows without text are
/// left out and counted as those of JSON lines.
class TablePieces final : public PieceSource {
public:
    /// `from` is a position in this file.
    static Result<TablePieces> open(const std::filesystem::path& path, TableKind kind,
                                    const std::string& column, const CorpusPosition& from);

    Result<std::optional<CorpusPiece>> next() override;
    CorpusFormat format() const override { return formatOf(m_kind); }
    std::uint64_t fileOffset() const override { return m_file.fileOffset(); }

private:
    TablePieces(std::string name, TableKind kind, TableFile file, const CorpusPosition& from)
        : m_name(std::move(name)), m_kind(kind), m_file(std::move(file)), m_position(from)
    {
    }
    Result<bool> fetch();
    void take(CorpusPiece& piece);
    void passBy();
    Status passLongRows(CorpusPiece& piece);

    std::string m_name;
    TableKind m_kind;
    TableFile m_file;
    CorpusPosition m_position; ///< behind the last row that is part of a piece, or left out
    TableRow m_row;            ///< the one after it, once fetched
    bool m_fetched = false;
};

} // namespace trainyard
