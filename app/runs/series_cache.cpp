#include "app/runs/series_cache.h"

#include "app/runs/series_note.h"
#include "engine/records/untrusted_records.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

fs::path seriesPath(const fs::path& runFolder)
{
    return runFolder / kSeriesFileName;
}

fs::path journalPath(const fs::path& runFolder)
{
    return runFolder / "journal" / "steps";
}

Status write(SeriesWriter& writer, const fs::path& runFolder, const StepStream& stream)
{
    TRAINYARD_TRY(const std::string note, seriesNote(stream, journalPath(runFolder)));
    const SeriesTable steps = stream.steps.toSeries();
    TRAINYARD_TRY(const int table, writer.addTable(steps.name, steps.names));
    TRAINYARD_TRY_STATUS(writer.appendRest(table, steps.values));
    return writer.commit(note);
}

/// Counts the rows of the steps in the file.
qsizetype tableRows(SeriesWriter& writer, const StepStream& stream)
{
    const SeriesTable steps = stream.steps.toSeries();
    const auto table = writer.addTable(steps.name, steps.names);
    return table.ok() ? writer.rows(*table) : -1;
}

} // namespace

Result<StepStream> readSeriesCache(const QString& folder)
{
    const fs::path runFolder = folder.toStdString();
    TRAINYARD_TRY(SeriesFile file, SeriesFile::open(seriesPath(runFolder)));
    auto note = readSeriesNote(file.note(), journalPath(runFolder));
    if (!note.ok())
        return note.error().in(seriesPath(runFolder).string());
    const SeriesTable* steps = file.table(kStepsTable);
    if (!steps)
        return badInput(seriesPath(runFolder).string() + ": no steps in it");
    TRAINYARD_TRY(note->stream.steps, StepTable::fromSeries(*steps, note->attempts));
    return std::move(note->stream);
}

Result<bool> repairSeriesCache(const QString& folder)
{
    const fs::path file = seriesPath(folder.toStdString());
    std::error_code isThere;
    if (!fs::exists(file, isThere) || SeriesFile::verify(file).ok())
        return false;
    TRAINYARD_TRY_STATUS(rebuildSeriesCache(folder));
    return true;
}

Status rebuildSeriesCache(const QString& folder)
{
    RunSeries series;
    const auto take = [&](std::vector<Record> records) {
        sanitizeRecords(records);
        series.apply(QStringLiteral("steps"), records);
    };
    TRAINYARD_TRY(const JournalEnd end, scanJournal(journalPath(folder.toStdString()), take));
    series.setStepsEnd(end);
    return SeriesCache(folder, 0).update(series.stepStream());
}

SeriesCache::SeriesCache(const QString& runFolder, qsizetype restoredRows)
    : m_runFolder(runFolder.toStdString()), m_rows(restoredRows)
{
}

Status SeriesCache::update(const StepStream& stream)
{
    if (stream.steps.size() < kMinCachedSteps)
        return {};
    const Status opened = openWriter();
    if (!opened.ok() && opened.error().kind == ErrorKind::Refused)
        return opened;
    // A damaged file, or one that another program wrote meanwhile, does not end where these steps continue.
    const bool appends = opened.ok() && m_rewrites == stream.steps.rewrites() && m_rows > 0 &&
                         tableRows(*m_writer, stream) == m_rows;
    if (appends) {
        TRAINYARD_TRY_STATUS(write(*m_writer, m_runFolder, stream));
        m_writer->release();
    } else {
        TRAINYARD_TRY_STATUS(replace(stream));
    }
    m_rewrites = stream.steps.rewrites();
    m_rows = stream.steps.size();
    return {};
}

Status SeriesCache::openWriter()
{
    if (m_writer && m_writer->reacquire().ok())
        return {};
    m_writer.reset(); // its lock would block the next writer
    std::error_code ignored;
    if (!fs::exists(seriesPath(m_runFolder), ignored))
        return failed(seriesPath(m_runFolder).string() + " is not there");
    TRAINYARD_TRY(m_writer, SeriesWriter::open(seriesPath(m_runFolder)));
    return {};
}

Status SeriesCache::replace(const StepStream& stream)
{
    m_writer.reset();
    return publishAtomically(seriesPath(m_runFolder), [&](const fs::path& temporary) -> Status {
        TRAINYARD_TRY(SeriesWriter writer, SeriesWriter::open(temporary));
        return write(writer, m_runFolder, stream);
    });
}

} // namespace trainyard
