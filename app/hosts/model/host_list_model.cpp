#include "app/hosts/model/host_list_model.h"

#include <QRegularExpression>
#include <QSysInfo>

#include "app/base/display_text.h"
#include "app/base/tone.h"
#include "engine/base/units.h"

namespace trainyard {

namespace {

QString deviceText(const HostFacts& facts)
{
    if (facts.devices.isEmpty())
        return HostListModel::tr("%n CPU cores", nullptr, facts.cores);
    return QStringLiteral("%1 × %2").arg(facts.devices.size()).arg(facts.devices.front().name);
}

/// What is available now; the total where the agent did not tell.
qint64 freeMemory(const HostFacts& facts)
{
    const auto available = facts.raw[QStringLiteral("memory")][QStringLiteral("available")];
    return available.isDouble() ? static_cast<qint64>(available.toDouble()) : facts.memoryBytes;
}

QString memoryText(qint64 bytes)
{
    return QString::fromStdString(formatBytes(static_cast<Bytes>(bytes)));
}

HostState stateFrom(const HostReport& report)
{
    // A check that never got an answer has no facts: the host was not reached.
    if (report.facts.hostName.isEmpty())
        return HostState::NotReached;
    switch (report.worst()) {
    case Verdict::Ok:
        return HostState::Ready;
    case Verdict::Warn:
        return HostState::Warnings;
    case Verdict::Fail:
        break;
    }
    return HostState::Blocked;
}

} // namespace

Status checkHostName(const QString& name)
{
    static const QRegularExpression plain(QStringLiteral("^[A-Za-z0-9._:@\\[\\]][A-Za-z0-9._:@\\[\\]-]*$"));
    if (name.isEmpty())
        return badInput("the host has no name",
                        "use the name that you pass to ssh, e.g. gpu-03 or me@10.0.0.3");
    if (!plain.match(name).hasMatch())
        return badInput("\"" + name.toStdString() + "\" is not a host name",
                        "use the name that you pass to ssh, e.g. gpu-03 or me@10.0.0.3:2222");
    return {};
}

HostListModel::HostListModel(QObject* parent) : QAbstractTableModel(parent)
{
    HostEntry local;
    local.name = thisMachine();
    local.address = QSysInfo::machineHostName();
    local.engine = tr("installed");
    m_hosts.push_back(local);
}

int HostListModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_hosts.size());
}

int HostListModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant HostListModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const HostEntry& host = at(index.row());
    switch (role) {
    case Qt::DisplayRole:
        return text(host, index.column());
    case Qt::ToolTipRole:
        return toolTipOf(toolTip(host, index.column()).toString());
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(Qt::Alignment(index.column() == FreeMemory
                                                     ? Qt::AlignRight | Qt::AlignVCenter
                                                     : Qt::AlignLeft | Qt::AlignVCenter));
    case kToneRole:
        if (index.column() == State)
            return static_cast<int>(toneOf(host.state));
        return static_cast<int>(index.column() == Name ? Tone::Plain : Tone::Muted);
    default:
        return {};
    }
}

QVariant HostListModel::toolTip(const HostEntry& host, int column) const
{
    if (column == Engine && !host.isThisMachine())
        return tr("The engine is uploaded to a host when a run starts there");
    return host.activity.isEmpty() ? text(host, column) : QVariant(host.activity);
}

QVariant HostListModel::text(const HostEntry& host, int column) const
{
    switch (column) {
    case Name:
        return host.isThisMachine() ? tr("This machine") : host.name;
    case Address:
        return host.address;
    case State:
        return QString(shapeOf(host.state)) + QStringLiteral(" ") + nameOf(host.state);
    case Devices:
        return host.report && !host.report->facts.hostName.isEmpty() ? deviceText(host.report->facts)
                                                                     : tr("–");
    case FreeMemory:
        return host.report && freeMemory(host.report->facts) > 0 ? memoryText(freeMemory(host.report->facts))
                                                                 : tr("–");
    case Engine:
        return host.engine.isEmpty() ? tr("–") : host.engine;
    default:
        return {};
    }
}

QVariant HostListModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(
            Qt::Alignment((section == FreeMemory ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter));
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Name:
        return tr("Name");
    case Address:
        return tr("Address");
    case State:
        return tr("State");
    case Devices:
        return tr("Devices");
    case FreeMemory:
        return tr("Free memory");
    case Engine:
        return tr("Engine");
    default:
        return {};
    }
}

int HostListModel::rowOf(const QString& name) const
{
    for (std::size_t row = 0; row < m_hosts.size(); ++row) {
        if (m_hosts[row].name == name)
            return static_cast<int>(row);
    }
    return -1;
}

QStringList HostListModel::names() const
{
    QStringList names;
    for (const HostEntry& host : m_hosts)
        names << host.name;
    return names;
}

Status HostListModel::add(const HostEntry& host, int row)
{
    TRAINYARD_TRY_STATUS(checkHostName(host.name));
    if (rowOf(host.name) >= 0)
        return badInput("\"" + host.name.toStdString() + "\" is already in the list");
    const int at = row < 1 || row > rowCount() ? rowCount() : row;
    beginInsertRows({}, at, at);
    m_hosts.insert(m_hosts.begin() + at, host);
    endInsertRows();
    emit membersChanged();
    return {};
}

Result<HostEntry> HostListModel::remove(const QString& name)
{
    const int row = rowOf(name);
    if (row < 0)
        return badInput("there is no host \"" + name.toStdString() + "\"");
    if (row == 0)
        return refused("this machine is always in the list");
    beginRemoveRows({}, row, row);
    HostEntry host = at(row);
    m_hosts.erase(m_hosts.begin() + row);
    endRemoveRows();
    emit membersChanged();
    return host;
}

template <typename Change>
void HostListModel::change(const QString& name, Change apply)
{
    const int row = rowOf(name);
    if (row < 0)
        return; // removed while its check was under way
    apply(m_hosts[static_cast<std::size_t>(row)]);
    emit dataChanged(index(row, 0), index(row, ColumnCount - 1));
}

void HostListModel::setState(const QString& name, HostState state, const QString& activity)
{
    change(name, [&](HostEntry& host) {
        host.state = state;
        host.activity = activity;
    });
}

void HostListModel::setReport(const QString& name, const HostReport& report)
{
    change(name, [&](HostEntry& host) {
        host.report = report;
        host.activity.clear();
        host.state = stateFrom(report);
    });
}

void HostListModel::setAddress(const QString& name, const QString& address)
{
    change(name, [&](HostEntry& host) { host.address = address; });
}

void HostListModel::setEngine(const QString& name, const QString& engine)
{
    change(name, [&](HostEntry& host) { host.engine = engine; });
}

} // namespace trainyard
