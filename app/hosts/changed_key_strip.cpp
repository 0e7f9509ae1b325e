#include "app/hosts/changed_key_strip.h"

#include <QLineEdit>
#include <QPushButton>

#include "app/hosts/key_comparison.h"
#include "app/widgets/roles.h"

namespace trainyard {

ChangedKeyStrip::ChangedKeyStrip(QWidget* parent) : MessageBar(parent)
{
    connect(this, &MessageBar::closed, this, &ChangedKeyStrip::dismiss);
}

void ChangedKeyStrip::tell(const QString& host, const HostKeyChange& change, const Error& reason)
{
    forget(host);
    m_waiting.append({host, change, reason});
    if (m_waiting.size() == 1)
        showNext();
}

void ChangedKeyStrip::forget(const QString& host)
{
    const bool shown = !m_waiting.isEmpty() && m_waiting.front().host == host;
    m_waiting.removeIf([&](const Waiting& waiting) { return waiting.host == host; });
    if (shown)
        showNext();
}

void ChangedKeyStrip::showNext()
{
    if (m_waiting.isEmpty())
        return clear();
    showError(m_waiting.front().reason);
    addAction(tr("Remove old key…"), [this] { showKeys(); });
}

void ChangedKeyStrip::showKeys()
{
    const HostKeyChange& change = m_waiting.front().change;
    const QString where =
        change.via.isEmpty() ? change.address : tr("%1, via %2").arg(change.address, change.via);
    showMessage(Tone::Bad,
                tr("%1 (%2) presents a different key than the one on record.").arg(change.host, where),
                tr("Ask the host's administrator why: this may be a man-in-the-middle attack. After you "
                   "remove the old key, the next check asks you to confirm the new one."));
    addField(new KeyComparison(change));
    auto* name = new QLineEdit;
    name->setPlaceholderText(tr("Type the host's name to remove its old key: %1").arg(change.host));
    name->setAccessibleName(tr("Host name, to confirm removing its old key"));
    addField(name);
    QPushButton* remove = addAction(tr("Remove old key"), [this] { confirm(); });
    setRole(remove, "danger");
    remove->setEnabled(false);
    connect(name, &QLineEdit::textChanged, remove, [remove, host = change.host](const QString& typed) {
        remove->setEnabled(typed.trimmed() == host);
    });
    addAction(
        tr("Keep old key"), [this] { dismiss(); }, true);
    setClosable(false);
}

void ChangedKeyStrip::confirm()
{
    const Waiting confirmed = m_waiting.takeFirst();
    showNext();
    emit removalConfirmed(confirmed.host, confirmed.change);
}

void ChangedKeyStrip::dismiss()
{
    m_waiting.removeFirst();
    showNext();
}

} // namespace trainyard
