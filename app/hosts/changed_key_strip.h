#pragma once

#include <QList>

#include "app/workspace/message_bar.h"
#include "remote/target/questions.h"

namespace trainyard {

/// Reports that a host presents a different key than the one on record. No single click proceeds: to remove
/// the old key, the user sees both fingerprints side by side and types the host's name. Shows one host at a
/// time and queues the others.
class ChangedKeyStrip : public MessageBar {
    Q_OBJECT
public:
    explicit ChangedKeyStrip(QWidget* parent = nullptr);

    void tell(const QString& host, const HostKeyChange& change, const Error& reason);
    /// Drops the report of a host that was removed or is being checked again.
    void forget(const QString& host);

signals:
    void removalConfirmed(const QString& host, const trainyard::HostKeyChange& change);

private:
    struct Waiting {
        QString host;
        HostKeyChange change;
        Error reason;
    };
    void showNext();
    void showKeys();
    void confirm();
    void dismiss();

    QList<Waiting> m_waiting; ///< the first one is shown
};

} // namespace trainyard
