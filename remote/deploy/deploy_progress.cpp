#include "remote/deploy/deploy_progress.h"

#include <algorithm>

#include <QStringList>

#include "engine/base/units.h"

namespace trainyard {

namespace {

constexpr std::chrono::seconds kRemembered{5};
constexpr std::chrono::milliseconds kShortest{300}; ///< too little to tell a rate from

QString sizeText(double bytes)
{
    return QString::fromStdString(formatBytes(static_cast<Bytes>(bytes)));
}

} // namespace

void TransferRate::add(std::chrono::milliseconds now, qint64 done)
{
    m_points.push_back({now, done});
    while (m_points.size() > 2 && now - m_points[1].at > kRemembered)
        m_points.pop_front();
}

double TransferRate::bytesPerSecond() const
{
    if (m_points.empty() || m_points.back().at - m_points.front().at < kShortest)
        return 0;
    const std::chrono::duration<double> time = m_points.back().at - m_points.front().at;
    return std::max(0.0, double(m_points.back().done - m_points.front().done) / time.count());
}

std::chrono::seconds DeployPlan::time() const
{
    const double rate = bytesPerSecond > 0 ? bytesPerSecond : kAssumedRate;
    return std::chrono::ceil<std::chrono::seconds>(std::chrono::duration<double>(double(bytes) / rate));
}

QString DeployPlan::text() const
{
    const bool isMeasured = bytesPerSecond > 0;
    return QString("uploading %1 of %2 to %3, about %4 at %5%6/s")
        .arg(sizeText(double(bytes)), what, hosts == 1 ? QString("one host") : QString("%1 hosts").arg(hosts),
             QString::fromStdString(formatDuration(time())), isMeasured ? QString() : QString("an assumed "),
             sizeText(isMeasured ? bytesPerSecond : kAssumedRate));
}

std::optional<std::chrono::milliseconds> DeployProgress::timeLeft() const
{
    if (bytesPerSecond <= 0)
        return std::nullopt;
    return std::chrono::milliseconds(static_cast<qint64>(1e3 * double(total - done) / bytesPerSecond));
}

double DeployProgress::fraction() const
{
    return total > 0 ? double(done) / double(total) : -1;
}

QString DeployProgress::text() const
{
    QStringList parts{
        QString("%1 %2: %3 of %4").arg(verb, what, sizeText(double(done)), sizeText(double(total)))};
    if (hosts > 1)
        parts << QString("%1 of %2 hosts done").arg(hostsDone).arg(hosts);
    if (hostsFailed > 0)
        parts << QString("%1 failed").arg(hostsFailed);
    if (bytesPerSecond > 0)
        parts << sizeText(bytesPerSecond) + "/s";
    if (const auto left = timeLeft(); left && done < total)
        parts << QString::fromStdString(formatDuration(std::chrono::ceil<std::chrono::seconds>(*left))) +
                     " left";
    return parts.join(", ");
}

} // namespace trainyard
