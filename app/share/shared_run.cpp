#include "app/share/shared_run.h"

#include <cmath>

#include <QJsonArray>

#include "app/base/display_text.h"
#include "app/base/field_label.h"
#include "app/runs/named_series.h"
#include "app/share/private_text.h"
#include "engine/spec/field_changes.h"

namespace trainyard {

namespace {

constexpr qsizetype kMaxEvents = 200; ///< the newest; a page is no log

QJsonValue number(double value)
{
    if (std::isfinite(value))
        return value;
    return std::isnan(value) ? QStringLiteral("NaN")
           : value > 0       ? QStringLiteral("Infinity")
                             : QStringLiteral("-Infinity");
}

QString withoutQuotes(QString value)
{
    if (value.size() >= 2 && value.startsWith(QLatin1Char('"')) && value.endsWith(QLatin1Char('"')))
        value = value.mid(1, value.size() - 2);
    return value;
}

/// Where a setting is a place as a whole, only its line is left out.
QJsonArray settingsOf(const RunFacts& facts, const PrivateText* hidden)
{
    QJsonArray settings;
    if (!facts.spec)
        return settings;
    for (const FieldChange& change : changesBetween(RunSpec(), *facts.spec)) {
        const QString path = QString::fromStdString(change.path);
        const QString value = oneLine(withoutQuotes(QString::fromStdString(change.value)));
        if (!hidden || !hidden->hides(value))
            settings << QJsonObject{{"label", fieldLabel(path)}, {"value", value}, {"field", path}};
    }
    return settings;
}

QJsonArray eventsOf(const RunSeries& series, const PrivateText* hidden)
{
    QJsonArray events;
    const auto& all = series.events();
    const std::size_t first = all.size() > kMaxEvents ? all.size() - kMaxEvents : 0;
    for (std::size_t i = first; i < all.size(); ++i) {
        const QString text = oneLine(QString::fromStdString(all[i].event.message));
        events << QJsonObject{{"time", all[i].time.wallNs / 1e9},
                              {"severity", toQString(nameOf(all[i].event.severity))},
                              {"text", hidden ? hidden->without(text) : text}};
    }
    return events;
}

} // namespace

QJsonObject descriptionOf(const SharedRun& run, bool hidesPlaces)
{
    const PrivateText places(run.facts.allHosts());
    const PrivateText* hidden = hidesPlaces ? &places : nullptr;
    const auto shown = [hidden](const QString& text) { return hidden ? hidden->without(text) : text; };
    const RunEntry& entry = run.entry;
    return {{"id", entry.id},
            {"name", oneLine(entry.name)},
            {"state", toQString(nameOf(entry.state))},
            {"reason", shown(oneLine(entry.reason))},
            {"step", entry.step},
            {"steps", entry.steps},
            {"updated", double(entry.updatedMs) / 1000},
            {"hosts", hidden ? QString() : oneLine(entry.hosts.join(QStringLiteral(", ")))},
            {"tags", QJsonArray::fromStringList(entry.tags)},
            {"notes", shown(entry.notes)},
            {"settings", settingsOf(run.facts, hidden)},
            {"events", eventsOf(run.series, hidden)}};
}

QJsonObject lastValuesOf(const SharedRun& run)
{
    QJsonObject metrics;
    for (const NamedSeries& series : namedSeries(run.facts, run.series)) {
        if (!series.values.isEmpty())
            metrics[series.name] = number(series.values.last());
    }
    const RunEntry& entry = run.entry;
    return {{"id", entry.id},     {"name", oneLine(entry.name)}, {"state", toQString(nameOf(entry.state))},
            {"step", entry.step}, {"steps", entry.steps},        {"metrics", metrics}};
}

} // namespace trainyard
