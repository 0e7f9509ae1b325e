#include "remote/deploy/deployer.h"

#include <algorithm>

#include "remote/deploy/bundle_upload.h"
#include "remote/target/joined_errors.h"

namespace trainyard {

namespace {

constexpr int kMaxPushesOfHost = 4; // an agent has no more transfers to other hosts at a time

} // namespace

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
    connect(upload.get(), &BundleUpload::marksSeen, this,
            [this, index](const QSet<QString>& seen) { onMarksSeen(index, seen); });
    connect(upload.get(), &BundleUpload::wantsFiles, this, [this, index] { onWantsFiles(index); });
    connect(upload.get(), &BundleUpload::feedFailed, this,
            [this, index](const Error& error) { onFeedFailed(index, error); });
    connect(upload.get(), &BundleUpload::progress, this,
            [this, index](qint64 done, qint64 total) { onProgress(index, done, total); });
    connect(upload.get(), &BundleUpload::noticed, this, &Deployer::noticed);
    connect(upload.get(), &BundleUpload::finished, this,
            [this, index](const Status& result) { onHostFinished(index, result); });
}

void Deployer::setFeeds(const std::vector<std::vector<Feed>>& feeds)
{
    for (std::size_t host = 0; host < m_hosts.size(); ++host)
        m_hosts[host].feeds.assign(feeds[host].begin(), feeds[host].end());
}

void Deployer::start()
{
    m_clock.start();
    for (const Host& host : m_hosts)
        host.upload->start();
}

void Deployer::cancel()
{
    m_isCancelled = true;
    m_planPatience.stop();
    m_waiting.clear();
    for (const Host& host : m_hosts)
        host.upload->cancel();
}

void Deployer::onMarksSeen(int host, const QSet<QString>& seen)
{
    if (m_homes.meet(host, seen)) {
        letReceive(host);
    } else {
        at(host).part = Part::WaitsForItsDisk;
        onAsked(host);
    }
    sendNext(); // others may know now whether it feeds them
}

void Deployer::letReceive(int host)
{
    at(host).part = Part::Receives;
    at(host).upload->proceed();
}

void Deployer::onWantsFiles(int host)
{
    m_waiting.push_back(host);
    if (m_isPlanned)
        return sendNext();
    if (!m_planPatience.isActive())
        m_planPatience.start(m_options.planPatience);
    onAsked(host);
}

/// The host asks again what it lacks, and then wantsFiles() comes.
void Deployer::onFeedFailed(int index, const Error& error)
{
    Host& host = at(index);
    host.sender.reset();
    host.feedError = error;
    host.feeds.pop_front();
    sendNext();
}

void Deployer::onAsked(int host)
{
    at(host).asked = true;
    if (!m_isPlanned && !m_waiting.empty() && std::ranges::all_of(m_hosts, &Host::asked))
        plan();
}

void Deployer::plan()
{
    m_planPatience.stop();
    m_isPlanned = true;
    DeployPlan plan;
    plan.what = m_parcel.what;
    plan.bytesPerSecond = m_options.bytesPerSecond;
    for (const int host : m_waiting)
        plan.bytes += at(host).total;
    plan.hosts = static_cast<int>(m_waiting.size());
    if (plan.hosts > 0)
        emit planned(plan);
    sendNext();
}

void Deployer::sendNext()
{
    if (!m_isPlanned)
        return;
    // A copy: a listener may cancel in the middle.
    for (const int host : std::deque(m_waiting)) {
        if (begin(at(host)))
            std::erase(m_waiting, host);
    }
}

/// False when it has to wait: for a place, or until its feed knows whether it will have the files.
bool Deployer::begin(Host& host)
{
    if (m_isCancelled || host.sender)
        return !m_isCancelled;
    dropUselessFeeds(host);
    if (host.feeds.empty())
        return beginHere(host);
    const Feed& feed = host.feeds.front();
    const Part part = partOf(feed);
    if (part == Part::Unknown || !hasPlace(feed.from, kMaxPushesOfHost))
        return false;
    host.sender = feed.from;
    host.upload->receiveFrom(feed);
    if (part == Part::Done)
        host.upload->onFeedDone();
    return true;
}

bool Deployer::beginHere(Host& host)
{
    if (!m_parcel.isHere) {
        host.upload->fail(noFeedLeft(host));
        return true;
    }
    // A few hosts at a time: all share the link of this computer, and the first ones finish earlier.
    if (!hasPlace(nullptr, m_options.atOnce))
        return false;
    host.sender = nullptr;
    if (host.feedError)
        emit noticed(
            QString("%1 gets %2 through this computer: %3")
                .arg(host.upload->host(), m_parcel.what, QString::fromStdString(host.feedError->message)));
    host.upload->receiveFromHere();
    return true;
}

Error Deployer::noFeedLeft(const Host& host) const
{
    const Error why = host.feedError.value_or(unreachable("no host can send it"));
    return {why.kind,
            host.upload->host().toStdString() + " cannot get " + m_parcel.what.toStdString() + ": " +
                why.message,
            why.hint.empty() ? "bring it to this computer (`trainyard data fetch`) and send it from here"
                             : why.hint};
}

bool Deployer::hasPlace(Target* sender, int places) const
{
    return std::ranges::count(m_hosts, std::optional(sender), &Host::sender) < places;
}

Deployer::Part Deployer::partOf(const Feed& feed) const
{
    if (!feed.from)
        return Part::Failed;
    const auto host = std::ranges::find(m_hosts, feed.from.data(), &Host::target);
    return feed.hasAll || host == m_hosts.end() ? Part::Done : host->part;
}

/// A host that waits for another one of its disk might wait for the one that it would send to.
void Deployer::dropUselessFeeds(Host& host) const
{
    while (!host.feeds.empty()) {
        const Feed& feed = host.feeds.front();
        const Part part = partOf(feed);
        if (part == Part::Failed)
            host.feedError =
                unreachable((feed.from ? feed.from->host().toStdString() : "its neighbour") + " failed");
        else if (part != Part::WaitsForItsDisk)
            return;
        host.feeds.pop_front();
    }
}

void Deployer::onProgress(int index, qint64 done, qint64 total)
{
    Host& host = at(index);
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
    Host& host = at(index);
    std::erase(m_waiting, index);
    host.sender.reset();
    host.part = result.ok() ? Part::Done : Part::Failed;
    if (result.ok()) {
        ++m_progress.hostsDone;
    } else {
        ++m_progress.hostsFailed;
        m_progress.total -= host.total - host.done; // nobody waits for the rest any more
        m_failures.emplace(index, result.error());
    }
    tellThoseItFeeds(host);
    tellProgress();
    for (const int follower : m_homes.release(index, result.ok()))
        letReceive(follower);
    onAsked(index);
    sendNext();
    if (m_progress.hostsDone + m_progress.hostsFailed == m_progress.hosts)
        emit finished(outcome());
}

void Deployer::tellThoseItFeeds(const Host& host)
{
    for (const Host& fed : m_hosts) {
        if (fed.sender != host.target || fed.feeds.front().hasAll)
            continue;
        if (host.part == Part::Done)
            fed.upload->onFeedDone();
        else
            fed.upload->leaveFeed(unreachable(host.upload->host().toStdString() + " failed"));
    }
}

/// Hosts that failed before somebody cancelled are not the reason for the end.
Status Deployer::outcome() const
{
    if (m_isCancelled && !m_failures.empty())
        return cancelled("sending " + m_parcel.what.toStdString() + " was cancelled");
    std::vector<Error> failures;
    for (const auto& [failed, error] : m_failures)
        failures.push_back(error);
    return joinedErrors(failures, m_progress.hosts);
}

} // namespace trainyard
