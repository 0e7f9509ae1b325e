#include "remote/deploy/deployer.h"

#include <algorithm>

#include "remote/deploy/bundle_upload.h"
#include "remote/target/joined_errors.h"

namespace trainyard {

Deployer::Deployer(Parcel parcel, const QList<Target*>& targets, Options options, QObject* parent)
    : QObject(parent)
    , m_parcel(std::move(parcel))
    , m_options(options)
    , m_homes(static_cast<int>(targets.size()))
    , m_hosts(static_cast<std::size_t>(targets.size()))
{
    m_progress.what = m_parcel.what;
    m_progress.hosts = static_cast<int>(targets.size());
    m_planPatience.setSingleShot(true);
    connect(&m_planPatience, &QTimer::timeout, this, &Deployer::plan);
    for (int host = 0; host < m_progress.hosts; ++host)
        addHost(*targets[host], host);
}

Deployer::~Deployer() = default;

void Deployer::addHost(Target& target, int index)
{
    BundleUpload::Meeting meeting;
    if (m_progress.hosts > 1)
        meeting = {m_homes.marks()[index], m_homes.marks()};
    Host& host = m_hosts[static_cast<std::size_t>(index)];
    host.target = &target;
    auto& upload = host.upload;
    upload = std::make_unique<BundleUpload>(m_parcel, target, std::move(meeting), m_options.patience);
    connect(upload.get(), &BundleUpload::met, this,
            [this, index](const QSet<QString>& seen) { onMet(index, seen); });
    connect(upload.get(), &BundleUpload::wantsToSend, this, [this, index] { onWantsToSend(index); });
    connect(upload.get(), &BundleUpload::progress, this,
            [this, index](qint64 done, qint64 total) { onProgress(index, done, total); });
    connect(upload.get(), &BundleUpload::noticed, this, &Deployer::noticed);
    connect(upload.get(), &BundleUpload::finished, this,
            [this, index](const Status& result) { onHostFinished(index, result); });
}

void Deployer::setFeeds(const std::vector<Feed>& feeds)
{
    for (std::size_t i = 0; i < m_hosts.size(); ++i) {
        m_hosts[i].feed = feeds[i].from;
        if (feeds[i].from)
            m_hosts[i].upload->receiveFrom(*feeds[i].from, feeds[i].request);
    }
}

void Deployer::start()
{
    m_clock.start();
    for (const Host& host : m_hosts)
        host.upload->start();
}

void Deployer::cancel()
{
    for (const Host& host : m_hosts)
        host.upload->cancel();
}

void Deployer::onMet(int host, const QSet<QString>& seen)
{
    if (m_homes.meet(host, seen))
        m_hosts[static_cast<std::size_t>(host)].upload->proceed();
    else
        onAsked(host);
}

void Deployer::onWantsToSend(int host)
{
    m_waiting.push_back(host);
    if (m_isPlanned)
        return sendNext();
    if (!m_planPatience.isActive())
        m_planPatience.start(m_options.planPatience);
    onAsked(host);
}

void Deployer::onAsked(int host)
{
    m_hosts[static_cast<std::size_t>(host)].asked = true;
    if (!m_isPlanned && !m_waiting.empty() && std::ranges::all_of(m_hosts, &Host::asked))
        plan();
}

void Deployer::plan()
{
    m_planPatience.stop();
    m_isPlanned = true;
    DeployPlan plan;
    plan.bytesPerSecond = m_options.bytesPerSecond;
    for (const int host : m_waiting)
        plan.bytes += m_hosts[static_cast<std::size_t>(host)].total;
    plan.hosts = static_cast<int>(m_waiting.size());
    if (plan.hosts > 0)
        emit planned(plan);
    sendNext();
}

void Deployer::sendNext()
{
    if (!m_isPlanned)
        return;
    // A few hosts at a time: all share the link of this computer, and the first ones finish earlier.
    while (m_sending < m_options.atOnce && !m_waiting.empty()) {
        Host& next = m_hosts[static_cast<std::size_t>(m_waiting.front())];
        m_waiting.pop_front();
        ++m_sending;
        next.sending = true;
        next.upload->send();
    }
}

void Deployer::onProgress(int index, qint64 done, qint64 total)
{
    Host& host = m_hosts[static_cast<std::size_t>(index)];
    m_progress.done += done - std::exchange(host.done, done);
    m_progress.total += total - std::exchange(host.total, total);
    emit progress(host.upload->host(), done, total);
    tellProgress();
}

void Deployer::tellProgress()
{
    m_rate.add(std::chrono::milliseconds(m_clock.elapsed()), m_progress.done);
    m_progress.bytesPerSecond = m_rate.bytesPerSecond();
    emit advanced(m_progress);
}

void Deployer::onHostFinished(int index, const Status& result)
{
    Host& host = m_hosts[static_cast<std::size_t>(index)];
    std::erase(m_waiting, index);
    if (std::exchange(host.sending, false))
        --m_sending;
    if (result.ok()) {
        ++m_progress.hostsDone;
    } else {
        ++m_progress.hostsFailed;
        m_progress.total -= host.total - host.done; // nobody waits for the rest any more
        m_failures.emplace(index, result.error());
        for (const Host& fed : m_hosts) {
            if (fed.feed == host.target)
                fed.upload->receiveFromHere(host.upload->host() + " failed");
        }
    }
    tellProgress();
    for (const int follower : m_homes.release(index, result.ok()))
        m_hosts[static_cast<std::size_t>(follower)].upload->proceed();
    onAsked(index);
    sendNext();
    if (m_progress.hostsDone + m_progress.hostsFailed < m_progress.hosts)
        return;
    std::vector<Error> failures;
    for (const auto& [failed, error] : m_failures)
        failures.push_back(error);
    emit finished(joinedErrors(failures, m_progress.hosts));
}

} // namespace trainyard
