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

/// The first columns of every table, in this order.
inline constexpr QLatin1String kStepSeries("step");         ///< ascending
inline constexpr QLatin1String kWallSeries("wall seconds"); ///< since 1970-01-01 UTC, ascending

/// Series recorded together: row i of every column is the same moment.
struct SeriesTable {
    QString name;
    QStringList names;          ///< of the columns; the first two are kStepSeries and kWallSeries
    QList<SeriesColumn> values; ///< of each column, all equally long

    qsizetype rows() const { return values.isEmpty() ? 0 : values.first().size(); }
};

/// The metrics of a run as columns in one file, `series` in the run's folder, with their pyramids: a run of
/// millions of steps opens without being read. SERIES_FORMAT.md specifies the bytes. For a run with journals
/// the file is a cache and is rebuilt from them when missing or damaged; for an imported run it is the only
/// copy. Columns read from here keep the mapped file alive. Any thread.
class SeriesFile {
public:
    /// Opens the committed part. BadInput if the file is missing, is not a series file, has a newer version,
    /// or is obviously damaged.
    static Result<SeriesFile> open(const std::filesystem::path& file);

    const std::vector<SeriesTable>& tables() const { return m_tables; }
    const SeriesTable* table(const QString& name) const; ///< null = there is none
    /// The note of the last commit.
    const std::string& note() const { return m_note; }
    std::uint64_t committedBytes() const { return m_committedBytes; }

    /// Reads the whole file and verifies every checksum. BadInput names the first damaged byte.
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
    /// Continues after the last commit of the file; creates the file if it is missing. Refused if another
    /// process is writing it, BadInput if it is damaged.
    static Result<SeriesWriter> open(const std::filesystem::path& file);

    /// The number of the table; an existing table with these columns is reused.
    Result<int> addTable(const QString& name, const QStringList& columns);
    qsizetype rows(int table) const;
    /// One value for each column.
    Status append(int table, std::span<const double> row);
    /// Appends the rows of `columns` that the table lacks; assumes that the others are equal.
    Status appendRest(int table, const QList<SeriesColumn>& columns);
    /// Returns when all appended rows are on disk.
    Status commit(std::string_view note);

    /// Lets other processes write the file. Requires that everything is committed; call reacquire() before
    /// appending again.
    void release();
    /// Refused if another process is writing the file; BadInput if it has changed since release().
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
