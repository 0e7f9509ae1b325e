#include "app/series/series_file.h"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include "app/series/series_block.h"
#include "engine/base/mapped_file.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kMagic = "TYSERIE1";

/// A table as its blocks describe it: block i holds its rows from i * kChunkRows on.
struct TableBlocks {
    QString name;
    QStringList names;
    std::vector<SeriesBlock> chunks;
};

std::string definitionOf(const QString& name, const QStringList& columns)
{
    const QJsonObject definition{{"name", name}, {"columns", QJsonArray::fromStringList(columns)}};
    return QJsonDocument(definition).toJson(QJsonDocument::Compact).toStdString();
}

/// The body without its padding; such blocks keep their length where others keep their rows.
std::string_view textOf(const SeriesBlock& block)
{
    return block.body.substr(0, block.rows);
}

/// What a file says, block by block. Blocks count from the note behind them on.
class BlockIndex {
public:
    /// False when the block does not fit those before it.
    bool take(const SeriesBlock& block)
    {
        switch (block.type) {
        case BlockType::Table:
            return takeTable(block);
        case BlockType::Rows:
            return takeRows(block);
        case BlockType::Note:
            return takeNote(block);
        }
        return true; // of a newer version
    }
    const std::vector<TableBlocks>& tables() const { return m_committed; }
    const std::string& note() const { return m_note; }

private:
    bool takeTable(const SeriesBlock& block)
    {
        if (!block.isIntact() || block.table != m_pending.size())
            return false;
        const std::string_view text = textOf(block);
        const auto definition =
            QJsonDocument::fromJson(QByteArray::fromRawData(text.data(), qsizetype(text.size()))).object();
        TableBlocks table{definition["name"].toString(), {}, {}};
        for (const QJsonValue& column : definition["columns"].toArray())
            table.names.append(column.toString());
        m_pending.push_back(std::move(table));
        return true;
    }

    bool takeRows(const SeriesBlock& block)
    {
        if (block.table >= m_pending.size())
            return false;
        TableBlocks& table = m_pending[block.table];
        const std::size_t place = block.firstRow / kChunkRows;
        const bool followsFullOnes =
            place <= table.chunks.size() && (place == 0 || table.chunks[place - 1].rows == kChunkRows);
        if (!followsFullOnes || block.columns != std::size_t(table.names.size()))
            return false;
        table.chunks.resize(place); // a short block is written again when it has grown
        table.chunks.push_back(block);
        return true;
    }

    bool takeNote(const SeriesBlock& block)
    {
        if (!block.isIntact())
            return false;
        m_note = std::string(textOf(block));
        m_committed = m_pending;
        return true;
    }

    std::vector<TableBlocks> m_pending;
    std::vector<TableBlocks> m_committed;
    std::string m_note;
};

void appendChunk(SeriesColumn& column, const ColumnChunk& chunk, const std::shared_ptr<const void>& owner)
{
    if (chunk.view.rows == kChunkRows)
        return column.append(SeriesChunk{chunk.view, chunk.whole, owner, true});
    for (qsizetype row = 0; row < chunk.view.rows; ++row)
        column.append(chunk.view.values[row]);
}

SeriesTable columnsOf(const TableBlocks& blocks, const std::shared_ptr<const void>& owner)
{
    SeriesTable table{blocks.name, blocks.names, {}};
    for (qsizetype column = 0; column < blocks.names.size(); ++column) {
        SeriesColumn values;
        for (const SeriesBlock& block : blocks.chunks)
            appendChunk(values, block.column(std::size_t(column)), owner);
        table.values.append(values);
    }
    return table;
}

/// A machine that lost its power may have kept the end of a file without its content.
bool newestAreIntact(const std::vector<TableBlocks>& tables)
{
    return std::all_of(tables.begin(), tables.end(), [](const TableBlocks& table) {
        return table.chunks.empty() || table.chunks.back().isIntact();
    });
}

Error damagedAt(const fs::path& path, std::size_t byte)
{
    return badInput(path.string() + ": damaged at byte " + std::to_string(byte));
}

} // namespace

Result<SeriesFile> SeriesFile::open(const fs::path& path)
{
    TRAINYARD_TRY(const auto mapped, MappedFile::open(path));
    const std::string_view bytes = mapped->bytes();
    if (!bytes.starts_with(kMagic))
        return badInput(path.string() + ": not a series file of version 1");
    SeriesFile file;
    BlockIndex index;
    std::size_t at = kMagic.size();
    file.m_committedBytes = at;
    for (auto block = parseBlock(bytes.substr(at)); block; block = parseBlock(bytes.substr(at))) {
        if (!index.take(*block))
            return damagedAt(path, at);
        at += block->size();
        if (block->type == BlockType::Note)
            file.m_committedBytes = at;
    }
    if (!newestAreIntact(index.tables()))
        return damagedAt(path, file.m_committedBytes);
    for (const TableBlocks& table : index.tables())
        file.m_tables.push_back(columnsOf(table, mapped));
    file.m_note = index.note();
    return file;
}

const SeriesTable* SeriesFile::table(const QString& name) const
{
    const auto found = std::find_if(m_tables.begin(), m_tables.end(),
                                    [&](const SeriesTable& table) { return table.name == name; });
    return found == m_tables.end() ? nullptr : &*found;
}

Status SeriesFile::verify(const fs::path& path)
{
    TRAINYARD_TRY(const SeriesFile known, open(path));
    TRAINYARD_TRY(const auto mapped, MappedFile::open(path));
    const std::string_view bytes = mapped->bytes().substr(0, known.committedBytes());
    for (std::size_t at = kMagic.size(); at < bytes.size();) {
        const auto block = parseBlock(bytes.substr(at));
        if (!block || !block->isIntact())
            return damagedAt(path, at);
        at += block->size();
    }
    return {};
}

SeriesWriter::SeriesWriter(fs::path path, FileDescriptor file)
    : m_path(std::move(path)), m_file(std::move(file))
{
}

Result<SeriesWriter> SeriesWriter::open(const fs::path& path)
{
    FileDescriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
    if (!file.valid())
        return systemError(ErrorKind::Failed, "cannot write " + path.string(), errno);
    if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0)
        return refused(path.string() + " is being written by another program");
    SeriesWriter writer(path, std::move(file));
    const off_t size = ::lseek(writer.m_file.get(), 0, SEEK_END);
    if (size == 0) {
        TRAINYARD_TRY_STATUS(writer.write(std::string(kMagic)));
        return writer;
    }
    TRAINYARD_TRY(const SeriesFile known, SeriesFile::open(path));
    TRAINYARD_TRY_STATUS(writer.takeOver(known));
    return writer;
}

Status SeriesWriter::takeOver(const SeriesFile& known)
{
    const auto end = static_cast<off_t>(known.committedBytes());
    if (::ftruncate(m_file.get(), end) != 0 || ::lseek(m_file.get(), end, SEEK_SET) != end)
        return systemError(ErrorKind::Failed, "cannot write " + m_path.string(), errno);
    for (const SeriesTable& table : known.tables()) {
        Table own{table.name, table.names, table.rows() / kChunkRows * kChunkRows, {}};
        for (const SeriesColumn& column : table.values) {
            GrowingChunk& tail = own.tail.emplace_back();
            for (qsizetype row = own.writtenRows; row < column.size(); ++row)
                tail.append(column[row]);
        }
        m_tables.push_back(std::move(own));
    }
    return {};
}

Result<int> SeriesWriter::addTable(const QString& name, const QStringList& columns)
{
    for (std::size_t i = 0; i < m_tables.size(); ++i) {
        if (m_tables[i].name == name && m_tables[i].names == columns)
            return int(i);
    }
    const auto number = std::uint32_t(m_tables.size());
    TRAINYARD_TRY_STATUS(write(encodeBlock(BlockType::Table, number, definitionOf(name, columns))));
    m_tables.push_back({name, columns, 0, std::vector<GrowingChunk>(std::size_t(columns.size()))});
    return int(number);
}

qsizetype SeriesWriter::rows(int table) const
{
    const Table& known = m_tables[std::size_t(table)];
    return known.writtenRows + (known.tail.empty() ? 0 : known.tail.front().rows());
}

Status SeriesWriter::append(int table, std::span<const double> row)
{
    Table& own = m_tables[std::size_t(table)];
    TRAINYARD_CHECK(row.size() == own.tail.size());
    for (std::size_t column = 0; column < row.size(); ++column)
        own.tail[column].append(row[column]);
    return own.tail.front().rows() == kChunkRows ? writeTail(table) : Status();
}

Status SeriesWriter::appendRest(int table, const QList<SeriesColumn>& columns)
{
    std::vector<double> row(std::size_t(columns.size()));
    while (!columns.isEmpty() && rows(table) < columns.first().size()) {
        const qsizetype next = rows(table);
        if (next % kChunkRows == 0 && next + kChunkRows <= columns.first().size()) {
            std::vector<ColumnChunk> chunks;
            for (const SeriesColumn& column : columns)
                chunks.push_back({column.chunk(next / kChunkRows), column.chunkSummary(next / kChunkRows)});
            TRAINYARD_TRY_STATUS(writeChunk(table, chunks));
            m_tables[std::size_t(table)].writtenRows += kChunkRows;
            continue;
        }
        std::transform(columns.begin(), columns.end(), row.begin(),
                       [next](const SeriesColumn& column) { return column[next]; });
        TRAINYARD_TRY_STATUS(append(table, row));
    }
    return {};
}

/// The rows since the last full chunk; a full one is then done with.
Status SeriesWriter::writeTail(int table)
{
    Table& own = m_tables[std::size_t(table)];
    if (own.tail.empty() || own.tail.front().rows() == 0)
        return {};
    std::vector<ColumnChunk> chunks;
    for (const GrowingChunk& column : own.tail)
        chunks.push_back({column.view(), column.whole()});
    TRAINYARD_TRY_STATUS(writeChunk(table, chunks));
    if (own.tail.front().rows() == kChunkRows) {
        own.writtenRows += kChunkRows;
        own.tail.assign(own.tail.size(), {});
    }
    return {};
}

Status SeriesWriter::writeChunk(int table, std::span<const ColumnChunk> columns)
{
    return write(
        encodeRows(std::uint32_t(table), std::uint64_t(m_tables[std::size_t(table)].writtenRows), columns));
}

Status SeriesWriter::write(const std::string& block)
{
    return writeAll(m_file.get(), block, m_path);
}

void SeriesWriter::release()
{
    m_releasedBytes = ::lseek(m_file.get(), 0, SEEK_CUR);
    ::flock(m_file.get(), LOCK_UN);
}

Status SeriesWriter::reacquire()
{
    if (::flock(m_file.get(), LOCK_EX | LOCK_NB) != 0)
        return refused(m_path.string() + " is being written by another program");
    struct stat own {};
    struct stat named {};
    const bool isSame = ::fstat(m_file.get(), &own) == 0 && ::stat(m_path.c_str(), &named) == 0 &&
                        own.st_ino == named.st_ino && own.st_dev == named.st_dev &&
                        own.st_size == m_releasedBytes;
    return isSame ? Status() : Status(badInput(m_path.string() + " was changed by another program"));
}

Status SeriesWriter::commit(std::string_view note)
{
    for (std::size_t table = 0; table < m_tables.size(); ++table)
        TRAINYARD_TRY_STATUS(writeTail(int(table)));
    // Rows first: a note on disk promises what it follows.
    if (::fdatasync(m_file.get()) != 0)
        return systemError(ErrorKind::Failed, "cannot sync " + m_path.string(), errno);
    TRAINYARD_TRY_STATUS(write(encodeBlock(BlockType::Note, 0, note)));
    return ::fdatasync(m_file.get()) == 0
               ? Status()
               : Status(systemError(ErrorKind::Failed, "cannot sync " + m_path.string(), errno));
}

} // namespace trainyard
