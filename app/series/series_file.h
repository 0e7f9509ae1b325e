#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <QList>
#include <QString>
#include <QStringList>

#include "app/series/series_column.h"
#include "engine/base/file.h"
#include "engine/base/result.h"

namespace trainyard {

struct ColumnChunk;

/// Columns of every table that say where its rows are: the first two, in this order.
inline constexpr QLatin1String kStepSeries("step");         ///< ascending
inline constexpr QLatin1String kWallSeries("wall seconds"); ///< since 1970-01-01 UTC, ascending

/// Series that were written down together: row i of every column belongs to the same moment.
struct SeriesTable {
    QString name;
    QStringList names;          ///< of the columns; the first two are kStepSeries and kWallSeries
    QList<SeriesColumn> values; ///< of each column, all equally long

    qsizetype rows() const { return values.isEmpty() ? 0 : values.first().size(); }
};

/// The figures of a run as columns in one file, `series` in the run's folder, with their pyramids: a run of
/// millions of steps opens without being read. SERIES_FORMAT.md has the bytes.
///
/// Of a run with journals it is a copy: whatever is missing or damaged is made again from them. Of an
/// imported run it is all there is. Columns that are read here keep the mapped file alive. Any thread.
class SeriesFile {
public:
    /// As far as it was committed. BadInput when the file is missing, is no series file, is of a newer
    /// version, or damaged where that shows at once.
    static Result<SeriesFile> open(const std::filesystem::path& file);

    const std::vector<SeriesTable>& tables() const { return m_tables; }
    const SeriesTable* table(const QString& name) const; ///< null = there is none
    /// What the writer noted with its last commit.
    const std::string& note() const { return m_note; }
    std::uint64_t committedBytes() const { return m_committedBytes; }

    /// Reads the whole file and compares every checksum. BadInput names the first damaged byte.
    static Status verify(const std::filesystem::path& file);

private:
    std::vector<SeriesTable> m_tables;
    std::string m_note;
    std::uint64_t m_committedBytes = 0;
};

/// Writes a series file. Rows are there for readers after the commit that follows them; what was not
/// committed when the writer ended is cut by the next one. One writer at a time; one thread.
///
/// What is written at once is best published at once:
///     const QStringList names{kStepSeries, kWallSeries, "loss"};
///     publishAtomically(folder / kSeriesFileName, [&](const auto& file) -> Status {
///         TRAINYARD_TRY(SeriesWriter writer, SeriesWriter::open(file));
///         TRAINYARD_TRY(const int table, writer.addTable("train", names));
///         for (const std::array<double, 3>& row : rows)
///             TRAINYARD_TRY_STATUS(writer.append(table, row));
///         return writer.commit(note);
///     });
class SeriesWriter {
public:
    /// Goes on where the last commit of the file ended; makes the file when there is none. Refused when
    /// another process writes it, BadInput when it is damaged.
    static Result<SeriesWriter> open(const std::filesystem::path& file);

    /// Number of the table, also when it was there already with these columns.
    Result<int> addTable(const QString& name, const QStringList& columns);
    qsizetype rows(int table) const;
    /// One value for each column.
    Status append(int table, std::span<const double> row);
    /// Rows of `columns` that the table does not have yet; the others are taken to be equal.
    Status appendRest(int table, const QList<SeriesColumn>& columns);
    /// Everything appended so far is on disk when this returns.
    Status commit(std::string_view note);

    /// Lets others write the file. Requires that everything is committed; append again only after
    /// reacquire().
    void release();
    /// Refused while another process writes the file; BadInput when it is not as it was at release().
    Status reacquire();

private:
    struct Table {
        QString name;
        QStringList names;
        qsizetype writtenRows = 0;      ///< in full chunks
        std::vector<GrowingChunk> tail; ///< of each column
    };
    SeriesWriter(std::filesystem::path path, FileDescriptor file);
    Status takeOver(const SeriesFile& known);
    Status write(const std::string& block);
    Status writeChunk(int table, std::span<const ColumnChunk> columns);
    Status writeTail(int table);

    std::filesystem::path m_path;
    FileDescriptor m_file;
    std::vector<Table> m_tables;
    off_t m_releasedBytes = 0;
};

inline constexpr const char* kSeriesFileName = "series";

} // namespace trainyard
