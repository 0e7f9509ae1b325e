#pragma once

#include <QList>

#include "app/workspace/message_strip.h"
#include "remote/target/target.h"

namespace trainyard {

/// Asks whether the key of a host that was never seen is the right one; one question at a time, the others
/// wait. Refuse is the default. A changed key never gets here: see changed_key_strip.h.
class HostKeyStrip : public MessageStrip {
    Q_OBJECT
public:
    explicit HostKeyStrip(QWidget* parent = nullptr);

    void ask(const QString& host, const HostKeyQuestion& question);
    /// The host was removed or its check cancelled: its question is gone.
    void forget(const QString& host);

signals:
    void answered(const QString& host, bool trust);

private:
    struct Waiting {
        QString host;
        HostKeyQuestion question;
    };
    void showNext();
    void answer(bool trust);

    QList<Waiting> m_waiting; ///< the first one is shown
};

} // namespace trainyard
