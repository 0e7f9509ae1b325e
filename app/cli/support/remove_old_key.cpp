#include "app/cli/support/remove_old_key.h"

#include "app/cli/support/awaited.h"
#include "app/cli/support/console.h"
#include "app/cli/support/desk.h"
#include "remote/target/host_key_change.h"

namespace trainyard {

namespace {

void print(const HostKeyChange& change)
{
    const QString via = change.via.isEmpty() ? QString() : QString(", reached via %1").arg(change.via);
    console::note(QString("%1 (%2%3) presents a different key than the one on record. Ask the host's "
                          "administrator why: this may be a man-in-the-middle attack.")
                      .arg(change.host, change.address, via));
    QList<QStringList> rows{{"key", "type", "fingerprint", "from"}};
    for (const HostKeyChange::Known& known : change.known)
        rows << QStringList{"old", known.keyType, known.fingerprint,
                            QString("%1, line %2").arg(known.file).arg(known.line)};
    rows << QStringList{"new", change.keyType, change.fingerprint, change.address};
    console::note(console::table(rows));
}

/// Empty when the person ended the input.
QString askForName()
{
    Terminal terminal;
    console::Awaited<QString> typed;
    terminal.ask("Type the host's name to remove its old key:", Terminal::Echo::Shown,
                 [&](const std::optional<ssh::Secret>& answer) {
                     typed.set(answer ? QString::fromUtf8(answer->view().data(),
                                                          static_cast<qsizetype>(answer->view().size()))
                                      : QString());
                 });
    return typed.wait().trimmed();
}

Status confirm(const HostKeyChange& change)
{
    if (!Terminal::isThere())
        return refused("there is no terminal to type the host's name on, so the old key is kept",
                       "remove it in a terminal or on the Hosts page of the window");
    if (askForName() != change.host)
        return refused("that is not the name " + change.host.toStdString() + ", so the old key is kept");
    return {};
}

} // namespace

Status removeOldKey(const QString& host)
{
    Desk desk;
    const Status reached = desk.reach(host);
    const auto change = desk.targets().target(host).hostKeyChange();
    if (!change && !reached.ok())
        return reached;
    if (!change) {
        console::note(host + " presents the key on record: there is nothing to remove");
        return {};
    }
    print(*change);
    TRAINYARD_TRY_STATUS(confirm(*change));
    TRAINYARD_TRY_STATUS(removeOldKeys(*change));
    console::note(
        QString("The old key is removed. `trainyard hosts check %1` asks about the new one.").arg(host));
    return {};
}

} // namespace trainyard
