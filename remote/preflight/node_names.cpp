#include "remote/preflight/node_names.h"

#include <QRegularExpression>
#include <QStringList>

#include "remote/target/target.h"

namespace trainyard {

namespace {

bool isPlain(const QString& name)
{
    static const QRegularExpression plain("^[A-Za-z0-9][A-Za-z0-9._:-]*$");
    return plain.match(name).hasMatch();
}

/// Empty when there is no key or no plain name.
QString knownHostsLine(const QStringList& names, const QString& key)
{
    QStringList plain;
    for (const QString& name : names) {
        if (isPlain(name) && !plain.contains(name.toLower()))
            plain << name.toLower();
    }
    return plain.isEmpty() || key.isEmpty() ? QString() : plain.join(',') + ' ' + key;
}

} // namespace

QString nameForMpi(const QString& host)
{
    const QString name = host.section('@', -1);
    // The address of "[fd00::2]:22"; the head's own ssh knows the port.
    return name.startsWith('[') ? name.mid(1, name.indexOf(']') - 1) : name;
}

QJsonArray knownHostsOf(const QList<Target*>& nodes)
{
    QJsonArray lines;
    for (const Target* node : nodes) {
        const auto agent = node->agent();
        const QStringList names{nameForMpi(node->host()), agent ? agent->host : QString()};
        if (const QString line = knownHostsLine(names, node->hostKey()); !line.isEmpty())
            lines << line;
    }
    return lines;
}

} // namespace trainyard
