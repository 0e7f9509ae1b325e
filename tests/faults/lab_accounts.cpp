#include "tests/faults/lab_accounts.h"

#include <QFile>

namespace trainyard::lab {

namespace {

constexpr int kFirstId = 3001;

} // namespace

QStringList LabAccounts::sshdOptions()
{
    return {"LogLevel VERBOSE", "Match User *,!root", "AuthorizedKeysFile /mnt/users/%u/.ssh/authorized_keys",
            "PasswordAuthentication yes"};
}

/// The host's own copies, bound over the files that it shares with this machine.
QString LabAccounts::begin()
{
    for (const char* name : {"passwd", "shadow"}) {
        const QString copy = QString("/mnt/%1").arg(name), file = QString("/etc/%1").arg(name);
        for (const QStringList& step :
             {QStringList{"cp", "-p", file, copy}, {"mount", "--bind", copy, file}}) {
            if (const Finished done = m_host.run(step); !done.ok())
                return step.join(' ') + ": " + done.errors;
        }
    }
    m_nextId = kFirstId;
    return {};
}

QString LabAccounts::append(const QString& file, const QByteArray& line) const
{
    QFile accounts(m_host.path(file));
    if (!accounts.open(QIODevice::Append) || accounts.write(line) != line.size())
        return "cannot write " + file;
    return {};
}

QString LabAccounts::add(const Account& account)
{
    if (const QString trouble = m_nextId == 0 ? begin() : QString(); !trouble.isEmpty())
        return trouble;
    QByteArray hash = "*";
    if (!account.password.isEmpty())
        hash = runCommand({"openssl", "passwd", "-6", "-stdin"}, account.password.toUtf8()).output.trimmed();
    const QString id = QString::number(m_nextId++), folder = home(account.name);
    // The third field is the day of the last change; 0 = it has to be changed now (shadow(5)).
    const QByteArray shadow = account.name.toUtf8() + ':' + hash +
                              (account.expired ? ":0:0:99999:7:::\n" : ":19000:0:99999:7:::\n");
    const QString passwd = QString("%1:x:%2:%2::%3:%4\n").arg(account.name, id, folder, account.shell);
    if (const QString trouble = append("/mnt/passwd", passwd.toUtf8()) + append("/mnt/shadow", shadow);
        !trouble.isEmpty())
        return trouble;
    const Finished made = m_host.run(
        {"sh", "-c",
         QString(
             "mkdir -p %1/.ssh && cp /root/.ssh/authorized_keys %1/.ssh/ && chown -R %2:%2 %1 && chmod 711 "
             "/mnt/users")
             .arg(folder, id)});
    return made.ok() ? QString() : QString::fromUtf8(made.errors);
}

} // namespace trainyard::lab
