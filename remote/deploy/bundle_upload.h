#pragma once

#include <deque>
#include <memory>
#include <set>

#include <QObject>
#include <QPointer>
#include <QTimer>

#include "remote/deploy/blob_upload.h"
#include "remote/deploy/bundle.h"
#include "remote/target/target.h"

namespace trainyard {

/// One host's part of a deployment: have? → put what is missing, one file after the other → assemble. Starts
/// again from have? whenever the link was lost and is back.
class BundleUpload : public QObject {
    Q_OBJECT

public:
    /// `bundle` must outlive it.
    BundleUpload(const Bundle& bundle, Target& target);
    ~BundleUpload() override;

    QString host() const { return m_host; }
    void start();
    void cancel();

signals:
    void progress(qint64 done, qint64 total);
    /// Once.
    void finished(const trainyard::Status& result);

private:
    struct Missing {
        const BundleEntry* file;
        std::uint64_t have; ///< verified bytes of an earlier attempt
    };
    void onState();
    void onAttemptFailed(const Error& error);
    void askWhatIsMissing();
    void onMissing(const QJsonObject& reply);
    void checkRoom();
    void putNext();
    void onPut(const Status& result);
    void assemble();
    void handle(const Error& error);
    void finish(const Status& result);

    const Bundle& m_bundle;
    QPointer<Target> m_target;
    QString m_host;
    std::deque<Missing> m_missing;
    std::unique_ptr<BlobUpload> m_current;
    qint64 m_total = -1; ///< bytes that the host lacked at first; -1 = not asked yet
    qint64 m_left = 0;   ///< bytes of the files that are still to come
    int m_repeats = 0;   ///< uploads that had to start again on a working link
    bool m_wasReady = false;
    bool m_done = false;
};

} // namespace trainyard
