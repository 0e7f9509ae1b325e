#include "app/monitor/model/event_list_model.h"

#include <algorithm>

#include "app/base/display_text.h"
#include "app/base/tone.h"

namespace trainyard {

namespace {

bool isSame(const RunEvent& a, const RunEvent& b)
{
    return a.sequence == b.sequence && a.stream == b.stream;
}

bool isWithin(const std::vector<RunEvent>& some, const std::vector<RunEvent>& all)
{
    auto at = all.begin();
    for (const RunEvent& event : some) {
        at = std::find_if(at, all.end(), [&](const RunEvent& e) { return isSame(e, event); });
        if (at == all.end())
            return false;
        ++at;
    }
    return true;
}

QString levelText(Severity severity)
{
    switch (severity) {
    case Severity::Info:
        return QStringLiteral("○ info");
    case Severity::Warning:
        return QStringLiteral("▲ warning");
    case Severity::Error:
        return QStringLiteral("✕ error");
    }
    return {};
}

Tone toneOf(Severity severity, int column)
{
    if (column != EventListModel::Level)
        return column == EventListModel::Message ? Tone::Plain : Tone::Muted;
    switch (severity) {
    case Severity::Warning:
        return Tone::Warning;
    case Severity::Error:
        return Tone::Bad;
    default:
        return Tone::Muted;
    }
}

} // namespace

void EventListModel::update(const std::vector<RunEvent>& events)
{
    if (!isWithin(m_events, events)) { // another run
        beginResetModel();
        m_events = events;
        endResetModel();
        return;
    }
    for (std::size_t row = 0; row < events.size(); ++row) {
        if (row < m_events.size() && isSame(m_events[row], events[row]))
            continue;
        beginInsertRows({}, int(row), int(row));
        m_events.insert(m_events.begin() + std::ptrdiff_t(row), events[row]);
        endInsertRows();
    }
}

int EventListModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_events.size());
}

int EventListModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant EventListModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const RunEvent& event = m_events[std::size_t(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        return text(event, index.column());
    case Qt::ToolTipRole:
        return index.column() == Message ? toolTipOf(QString::fromStdString(event.event.message))
                                         : QVariant();
    case kToneRole:
        return int(toneOf(event.event.severity, index.column()));
    default:
        return {};
    }
}

QVariant EventListModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole || section < 0 || section >= ColumnCount)
        return {};
    static const QStringList kTitles{tr("Time"), tr("Level"), tr("Rank"),
                                     tr("Step"), tr("Kind"),  tr("Message")};
    return kTitles[section];
}

QString EventListModel::text(const RunEvent& event, int column) const
{
    switch (column) {
    case Time:
        return displayTime(event.time.wallNs / 1'000'000);
    case Level:
        return levelText(event.event.severity);
    case Rank:
        return event.event.rank ? QString::number(*event.event.rank) : QString();
    case Step:
        return event.event.step > 0 ? displayCount(event.event.step) : QString();
    case Kind:
        return oneLine(QString::fromStdString(event.event.kind));
    case Message:
        return oneLine(QString::fromStdString(event.event.message));
    default:
        return {};
    }
}

} // namespace trainyard
