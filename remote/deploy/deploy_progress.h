#pragma once

#include <chrono>
#include <deque>
#include <optional>

#include <QString>
#include <QtGlobal>

namespace trainyard {

/// A transfer rate over the last seconds: neither the start nor an earlier pause counts. A plain value; the
/// caller passes the time.
class TransferRate {
public:
    void add(std::chrono::milliseconds now, qint64 done);
    /// 0 while unknown.
    double bytesPerSecond() const;

private:
    struct Point {
        std::chrono::milliseconds at;
        qint64 done;
    };
    std::deque<Point> m_points;
};

/// What a deployment is going to send: known, and said, before the first byte leaves.
struct DeployPlan {
    qint64 bytes = 0;          ///< that the hosts lack
    int hosts = 0;             ///< that lack any
    double bytesPerSecond = 0; ///< measured to the hosts together, a moment ago; 0 = kAssumedRate
    QString what = QStringLiteral("the engine");
    static constexpr double kAssumedRate = 12.5e6; ///< 100 Mbit/s

    std::chrono::seconds time() const;
    /// "uploading 470 MiB of the engine to 2 hosts, about 12 s at 40.0 MiB/s".
    QString text() const;
};

/// Progress of a deployment over all its hosts.
struct DeployProgress {
    qint64 done = 0;  ///< bytes on the hosts
    qint64 total = 0; ///< bytes that they lacked; grows until every host has said what it lacks
    int hosts = 0;
    int hostsDone = 0;
    int hostsFailed = 0;
    double bytesPerSecond = 0; ///< 0 = unknown
    QString verb = QStringLiteral("uploading");
    QString what = QStringLiteral("the engine");

    /// Returns nullopt while unknown.
    std::optional<std::chrono::milliseconds> timeLeft() const;
    /// 0..1, negative while unknown.
    double fraction() const;
    /// "uploading the engine: 1.20 GiB of 3.40 GiB, 5 of 16 hosts done, 112 MiB/s, 21.0 s left".
    QString text() const;
};

} // namespace trainyard
