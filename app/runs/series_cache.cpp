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
    for (const SeriesTable& series : {stream.steps.toSeries(), stream.evaluations.toSeries()}) {
        TRAINYARD_TRY(const int table, writer.addTable(series.name, series.names));
        TRAINYARD_TRY_STATUS(writer.appendRest(table, series.values));
    }
    return writer.commit(note);
}

/// Counts the rows of the table in the file; -1 where they cannot be counted.
qsizetype rowsInFile(SeriesWriter& writer, const SeriesTable& series)
{
    const auto table = writer.addTable(series.name, series.names);
    return table.ok() ? writer.rows(*table) : -1;
}

/// Older versions of Trainyard add steps to a file and skip evaluations: then the note does not say how many
/// there are, or the table has fewer.
Result<EvaluationTable> evaluationsIn(const SeriesFile& file, const SeriesNote& note)
{
    const SeriesTable* evaluations = file.table(kEvaluationsTable);
    const qsizetype rows = evaluations ? evaluations->rows() : 0;
    if (!evaluations || rows != note.evaluations)
        return badInput("has " + std::to_string(rows) + " of " + std::to_string(note.evaluations) +
                        " evaluations");
    return EvaluationTable::fromSeries(*evaluations);
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
    auto evaluations = evaluationsIn(file, *note);
    if (!evaluations.ok())
        return evaluations.error().in(seriesPath(runFolder).string());
    note->stream.evaluations = std::move(*evaluations);
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
    const int rewrites = stream.steps.rewrites() + stream.evaluations.rewrites();
    const bool appends = opened.ok() && m_rewrites == rewrites && m_rows > 0 &&
                         rowsInFile(*m_writer, stream.steps.toSeries()) == m_rows &&
                         rowsInFile(*m_writer, stream.evaluations.toSeries()) <= stream.evaluations.size();
    if (appends) {
        TRAINYARD_TRY_STATUS(write(*m_writer, m_runFolder, stream));
        m_writer->release();
    } else {
        TRAINYARD_TRY_STATUS(replace(stream));
    }
    m_rewrites = rewrites;
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
