#pragma once

#include <QList>

#include "app/workspace/message_strip.h"
#include "remote/target/questions.h"

namespace trainyard {

/// Says that a host shows another key than the one it is known by. Nothing goes on from here by a click: to
/// remove the old key a person sees both fingerprints side by side and types the host's name. One host at a
/// time, the others wait.
class ChangedKeyStrip : public MessageStrip {
    Q_OBJECT
public:
    explicit ChangedKeyStrip(QWidget* parent = nullptr);

    void tell(const QString& host, const HostKeyChange& change, const Error& reason);
    /// The host was removed or is checked again: what was found is out of date.
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
