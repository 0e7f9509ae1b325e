#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <QList>
#include <QObject>
#include <QString>

#include "remote/deploy/bundle.h"
#include "remote/target/target.h"

namespace trainyard {

class BundleUpload;

/// Puts a bundle on several hosts at once. Each host is asked what it lacks and gets only that; a link that
/// breaks and returns goes on where it was; the bundle appears there in one instant, whole and verified.
/// One object per deployment; GUI thread. Destroying it stops; what was sent is kept for the next time.
class Deployer : public QObject {
    Q_OBJECT

public:
    Deployer(Bundle bundle, const QList<Target*>& targets, QObject* parent = nullptr);
    ~Deployer() override;

    /// Opens the targets where needed.
    void start();
    /// finished() follows with Cancelled.
    void cancel();

    const Bundle& bundle() const { return m_bundle; }

signals:
    /// Bytes on the host so far, of all that it lacked; total 0 = it had everything.
    void progress(const QString& host, qint64 done, qint64 total);
    /// Once, when every host is through. The error lists every host that failed, each with its reason.
    void finished(const trainyard::Status& result);

private:
    void onHostFinished(const Status& result);

    Bundle m_bundle;
    std::vector<std::unique_ptr<BundleUpload>> m_uploads;
    std::size_t m_left;
    std::optional<Error> m_failure;
};

} // namespace trainyard
