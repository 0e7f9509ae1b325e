#include "app/hosts/host_key_strip.h"

#include <QPushButton>

#include "app/hosts/fingerprint_field.h"

namespace trainyard {

HostKeyStrip::HostKeyStrip(QWidget* parent) : MessageBar(parent) {}

void HostKeyStrip::ask(const QString& host, const HostKeyQuestion& question)
{
    forget(host);
    m_waiting.append({host, question});
    if (m_waiting.size() == 1)
        showNext();
}

void HostKeyStrip::forget(const QString& host)
{
    const bool shown = !m_waiting.isEmpty() && m_waiting.front().host == host;
    m_waiting.removeIf([&](const Waiting& waiting) { return waiting.host == host; });
    if (shown)
        showNext();
}

void HostKeyStrip::showNext()
{
    if (m_waiting.isEmpty()) {
        clear();
        return;
    }
    const HostKeyQuestion& question = m_waiting.front().question;
    const QString where =
        question.via.isEmpty() ? question.address : tr("%1, via %2").arg(question.address, question.via);
    showMessage(Tone::Warning,
                tr("%1 (%2) is not in known_hosts. Do you trust this key?\n%3  %4")
                    .arg(question.host, where, question.keyType, question.fingerprint),
                tr("Compare it with the output of `ssh-keygen -l -f /etc/ssh/ssh_host_%1_key.pub` on the "
                   "host itself. Accepting adds the key to your known_hosts.")
                    .arg(QString(question.keyType).remove(QStringLiteral("ssh-"))));
    auto* field = new FingerprintField(question.fingerprint);
    addField(field);
    QPushButton* accept = addAction(tr("Accept"), [this] { answer(true); });
    connect(field, &FingerprintField::contradicted, accept, &QWidget::setDisabled);
    addAction(
        tr("Reject"), [this] { answer(false); }, true);
    setClosable(false);
}

void HostKeyStrip::answer(bool trust)
{
    const QString host = m_waiting.takeFirst().host;
    showNext();
    emit answered(host, trust);
}

} // namespace trainyard
