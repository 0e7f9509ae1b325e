#include "remote/preflight/node_reach.h"

#include <QJsonArray>
#include <QRegularExpression>

namespace trainyard {

namespace {

bool isPlain(const QString& name)
{
    static const QRegularExpression plain("^[A-Za-z0-9][A-Za-z0-9._:-]*$");
    return plain.match(name).hasMatch();
}

QString fixFor(const QString& head, const QString& node, const QString& error)
{
    if (error.contains("Permission denied") || error.contains("Too many authentication failures"))
        return QString(
                   "the head starts the other hosts' ranks over ssh with a key of its own: on %1 run "
                   "`ssh-keygen -t ed25519` with no passphrase unless it has a key, then `ssh-copy-id %2`")
            .arg(head, node);
    if (error.contains("Host key verification failed"))
        return QString("on %1, `ssh %2` says what is wrong with the host key; `ssh-keygen -R %2` removes an "
                       "old one")
            .arg(head, node);
    if (error.contains("Could not resolve"))
        return QString("name the host in cluster.nodes as %1 knows it too, by its address if need be")
            .arg(head);
    return QString("on %1, `ssh %2 true` must work without a question").arg(head, node);
}

} // namespace

QString knownHostsLine(const QStringList& names, const QString& key)
{
    QStringList plain;
    for (const QString& name : names) {
        if (isPlain(name) && !plain.contains(name.toLower()))
            plain << name.toLower();
    }
    return plain.isEmpty() || key.isEmpty() ? QString() : plain.join(',') + ' ' + key;
}

Status judgeReach(const QString& head, const QJsonObject& answer)
{
    QStringList complaints, fixes;
    for (const auto& value : answer.value("hosts").toArray()) {
        const QJsonObject node = value.toObject();
        const QString host = node.value("host").toString(), error = node.value("error").toString();
        if (!error.isEmpty()) {
            complaints << QString("%1 cannot log in to %2: %3").arg(head, host, error);
            fixes << fixFor(head, host, error);
        } else if (node.value("orted").toString().isEmpty()) {
            complaints << QString("%1 finds no orted on %2").arg(head, host);
            fixes << QString("install OpenMPI on %1 as on %2, or put it into PATH in a start-up file that "
                             "its shell "
                             "reads for commands over ssh")
                         .arg(host, head);
        }
    }
    if (complaints.isEmpty())
        return {};
    fixes.removeDuplicates();
    return refused(complaints.join("; ").toStdString(), fixes.join("; ").toStdString());
}

} // namespace trainyard
