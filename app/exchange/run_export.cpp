#include "app/exchange/run_export.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include <fcntl.h>

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include "app/base/csv_text.h"
#include "app/base/display_text.h"
#include "app/exchange/event_file.h"
#include "app/runs/named_series.h"
#include "app/runs/recorded_run.h"
#include "engine/base/clock.h"
#include "engine/base/file.h"
#include "engine/records/evaluation_metrics.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

/// Goes through several series step by step, in ascending order.
class StepMerge {
public:
    explicit StepMerge(const std::vector<NamedSeries>& series) : m_series(series), m_rows(series.size(), 0) {}

    /// False behind the last step.
    bool next()
    {
        for (std::size_t i = 0; i < m_series.size(); ++i)
            m_rows[i] += has(i);
        m_step = std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < m_series.size(); ++i) {
            if (m_rows[i] < m_series[i].steps.size())
                m_step = std::min(m_step, m_series[i].steps[m_rows[i]]);
        }
        m_wall = 0;
        for (std::size_t i = 0; i < m_series.size(); ++i)
            m_wall = has(i) ? std::max(m_wall, m_series[i].wallSeconds[m_rows[i]]) : m_wall;
        return std::isfinite(m_step);
    }
    double step() const { return m_step; }
    double wallSeconds() const { return m_wall; }
    /// Of series `i` at this step.
    std::optional<double> value(std::size_t i) const
    {
        return has(i) ? std::optional(m_series[i].values[m_rows[i]]) : std::nullopt;
    }

private:
    bool has(std::size_t i) const
    {
        return m_rows[i] < m_series[i].steps.size() && m_series[i].steps[m_rows[i]] == m_step;
    }

    const std::vector<NamedSeries>& m_series;
    std::vector<qsizetype> m_rows; ///< of each series: at this step or behind it
    double m_step = std::numeric_limits<double>::quiet_NaN();
    double m_wall = 0;
};

/// The shortest text that reads back as the same number: "nan", "inf" and "-inf" too.
void appendNumber(std::string& out, double value)
{
    char text[32];
    out.append(text, std::to_chars(text, text + sizeof text, value).ptr);
}

std::string eventsText(const RunSeries& series)
{
    std::string text;
    for (const RunEvent& event : series.events()) {
        text += "* " + utcText(event.time.wallNs) + " **" + event.event.kind + "**";
        if (event.event.step > 0)
            text += " step " + std::to_string(event.event.step);
        if (event.event.rank)
            text += " rank " + std::to_string(*event.event.rank);
        text += ": " + event.event.message + "\n";
    }
    return text;
}

/// As Markdown shows it unchanged: indented.
std::string asCode(const QString& text)
{
    return ("    " + QString(text).replace(QLatin1Char('\n'), QLatin1String("\n    "))).toStdString();
}

std::map<std::string, std::string> textsOf(const RunFacts& facts, const RunSeries& series)
{
    std::map<std::string, std::string> texts;
    if (!facts.specText.isEmpty())
        texts["specification"] = asCode(facts.specText);
    if (const std::string events = eventsText(series); !events.empty())
        texts["events"] = events;
    static const QLatin1String kEnd("/text_summary"); // is added again
    if (facts.import) {
        for (const auto& [tag, text] : facts.import->texts)
            texts[(tag.endsWith(kEnd) ? tag.chopped(kEnd.size()) : tag).toStdString()] = text.toStdString();
    }
    return texts;
}

double beginOf(const std::vector<NamedSeries>& series)
{
    double begin = std::numeric_limits<double>::infinity();
    for (const NamedSeries& one : series) {
        if (!one.wallSeconds.isEmpty())
            begin = std::min(begin, one.wallSeconds.first());
    }
    return std::isfinite(begin) ? begin : 0;
}

Status writeEvents(EventFileWriter& writer, const RunFacts& facts, const RunSeries& series,
                   const std::vector<NamedSeries>& named)
{
    for (const auto& [tag, text] : textsOf(facts, series))
        TRAINYARD_TRY_STATUS(writer.append(encodeText(beginOf(named), tag, text)));
    std::vector<std::string> tags;
    for (const NamedSeries& one : named)
        tags.push_back(one.name.toStdString());
    for (StepMerge rows(named); rows.next();) {
        for (std::size_t i = 0; i < named.size(); ++i) {
            if (const auto value = rows.value(i))
                TRAINYARD_TRY_STATUS(writer.append(
                    encodeScalar(rows.wallSeconds(), std::llround(rows.step()), tags[i], *value)));
        }
    }
    return writer.finish();
}

/// Collects text and writes it in large parts.
class TextParts {
public:
    explicit TextParts(const TextSink& sink) : m_sink(sink) {}

    std::string& text() { return m_text; }
    Status flushIfLong() { return m_text.size() < kPart ? Status() : flush(); }
    Status flush() { return m_sink(std::exchange(m_text, {})); }

private:
    static constexpr std::size_t kPart = 1 << 20;

    const TextSink& m_sink;
    std::string m_text;
};

/// Publishes the text that `write` gives to its sink.
Status publishText(const fs::path& file, const std::function<Status(const TextSink&)>& write)
{
    return publishAtomically(file, [&write](const fs::path& path) -> Status {
        const FileDescriptor opened(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
        if (!opened.valid())
            return systemError(ErrorKind::BadInput, "cannot write " + path.string(), errno);
        return write([&](std::string_view part) { return writeAll(opened.get(), part, path); });
    });
}

void appendJsonNumber(std::string& out, double value)
{
    if (std::isfinite(value))
        appendNumber(out, value);
    else
        out += std::isnan(value) ? "\"NaN\"" : value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
}

Status writeJsonColumn(TextParts& file, const char* name, const SeriesColumn& values)
{
    file.text() += std::string("\"") + name + "\":[";
    for (qsizetype row = 0; row < values.size(); ++row) {
        if (row > 0)
            file.text() += ',';
        appendJsonNumber(file.text(), values[row]);
        TRAINYARD_TRY_STATUS(file.flushIfLong());
    }
    file.text() += ']';
    return {};
}

QJsonArray eventsJson(const RunSeries& series)
{
    QJsonArray events;
    for (const RunEvent& event : series.events()) {
        QJsonObject json{{"time", QString::fromStdString(utcText(event.time.wallNs))},
                         {"severity", toQString(nameOf(event.event.severity))},
                         {"kind", QString::fromStdString(event.event.kind)},
                         {"message", QString::fromStdString(event.event.message)}};
        if (event.event.step > 0)
            json["step"] = qint64(event.event.step);
        if (event.event.rank)
            json["rank"] = *event.event.rank;
        events.append(json);
    }
    return events;
}

QJsonObject factsJson(const RunFacts& facts, const RunSeries& series)
{
    QJsonObject json{{"run", facts.id},
                     {"name", facts.name()},
                     {"state", toQString(nameOf(series.status().state))},
                     {"hosts", QJsonArray::fromStringList(facts.hosts)},
                     {"specification", QJsonDocument::fromJson(facts.specText.toUtf8()).object()},
                     {"events", eventsJson(series)}};
    if (facts.import)
        json["import"] = QJsonObject{{"format", facts.import->format}, {"source", facts.import->source}};
    return json;
}

std::string jsonText(const QString& text)
{
    const QByteArray list = QJsonDocument(QJsonArray{text}).toJson(QJsonDocument::Compact);
    return list.mid(1, list.size() - 2).toStdString();
}

void appendEvaluation(std::string& out, const EvaluationRecord& evaluation, ModelFamily family)
{
    out += "{\"step\":" + std::to_string(evaluation.step) + ",\"loss\":";
    appendJsonNumber(out, evaluation.loss);
    out += ",\"tokens\":" + std::to_string(evaluation.tokens) + ",\"metrics\":{";
    bool isFirst = true;
    for (const auto& [name, value] : metricsOf(evaluation, family)) {
        out += std::exchange(isFirst, false) ? "" : ",";
        out += jsonText(toQString(name)) + ':';
        appendJsonNumber(out, value);
    }
    out += "}}";
}

Status writeEvaluations(TextParts& file, const RunFacts& facts, const EvaluationTable& evaluations)
{
    for (qsizetype row = 0; row < evaluations.size(); ++row) {
        file.text() += row == 0 ? "\n" : ",\n";
        appendEvaluation(file.text(), evaluations.at(row), familyOf(facts));
        TRAINYARD_TRY_STATUS(file.flushIfLong());
    }
    return {};
}

} // namespace

Result<fs::path> exportTensorBoard(const RunFacts& facts, const RunSeries& series, const fs::path& folder)
{
    const std::vector<NamedSeries> named = namedSeries(facts, series);
    TRAINYARD_TRY(EventFileWriter writer,
                  EventFileWriter::create(folder / facts.id.toStdString(), beginOf(named)));
    const Status written = writeEvents(writer, facts, series, named);
    if (written.ok())
        return writer.path();
    std::error_code ignored;
    fs::remove(writer.path(), ignored);
    return written.error();
}

Status writeCsv(const RunFacts& facts, const RunSeries& series, const TextSink& sink)
{
    const std::vector<NamedSeries> named = namedSeries(facts, series);
    TextParts file(sink);
    file.text() = "step,wall_time";
    for (const NamedSeries& one : named)
        file.text() += ',' + csvField(one.name).toStdString();
    file.text() += "\r\n";
    for (StepMerge rows(named); rows.next();) {
        appendNumber(file.text(), rows.step());
        file.text() += ',';
        if (rows.wallSeconds() > 0)
            appendNumber(file.text(), rows.wallSeconds());
        for (std::size_t i = 0; i < named.size(); ++i) {
            file.text() += ',';
            if (const auto value = rows.value(i))
                appendNumber(file.text(), *value);
        }
        file.text() += "\r\n";
        TRAINYARD_TRY_STATUS(file.flushIfLong());
    }
    return file.flush();
}

Status writeJson(const RunFacts& facts, const RunSeries& series, const TextSink& sink)
{
    TextParts file(sink);
    const QByteArray head = QJsonDocument(factsJson(facts, series)).toJson(QJsonDocument::Compact);
    file.text() = head.chopped(1).toStdString() + ",\"series\":{"; // goes on within the object
    bool isFirst = true;
    for (const NamedSeries& one : namedSeries(facts, series)) {
        file.text() += (std::exchange(isFirst, false) ? "\n" : ",\n") + jsonText(one.name) + ":{";
        TRAINYARD_TRY_STATUS(writeJsonColumn(file, "step", one.steps));
        file.text() += ',';
        TRAINYARD_TRY_STATUS(writeJsonColumn(file, "wall_time", one.wallSeconds));
        file.text() += ',';
        TRAINYARD_TRY_STATUS(writeJsonColumn(file, "value", one.values));
        file.text() += '}';
    }
    file.text() += "},\"evaluations\":[";
    TRAINYARD_TRY_STATUS(writeEvaluations(file, facts, series.evaluations()));
    file.text() += "]}\n";
    return file.flush();
}

Status exportCsv(const RunFacts& facts, const RunSeries& series, const fs::path& file)
{
    return publishText(file, [&](const TextSink& sink) { return writeCsv(facts, series, sink); });
}

Status exportJson(const RunFacts& facts, const RunSeries& series, const fs::path& file)
{
    return publishText(file, [&](const TextSink& sink) { return writeJson(facts, series, sink); });
}

} // namespace trainyard
