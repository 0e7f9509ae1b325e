#include "remote/stream/run_follower.h"

#include <QDir>
#include <QJsonArray>

#include "engine/base/file.h"
#include "engine/base/units.h"
#include "remote/stream/attempt_mirror.h"
#include "remote/stream/stream_follower.h"
#include "remote/target/data_dirs.h"

namespace trainyard {

namespace {

constexpr std::chrono::milliseconds kLookInterval = std::chrono::seconds(2);
constexpr std::chrono::milliseconds kLookIntervalAfterEnd{500}; ///< somebody is waiting for the verdict
constexpr std::uint64_t kBehindBytes = 64 * kKiB;
constexpr int kLooksAfterEnd = 2; ///< the last words of the workers may be written just after the verdict
constexpr qsizetype kStreamsOfTheRun =
    16;                             ///< beside one for each node; a host that tells more is not believed
constexpr int kLooksAtTornTail = 5; ///< silent ones: what a killed writer tore will never become a record

} // namespace

RunFollower::RunFollower(const QString& runId, const QStringList& hosts, TargetPool& targets,
                         const QString& mirrorFolder, QObject* parent)
    : QObject(parent)
    , m_runId(runId)
    , m_hosts(hosts)
    , m_targets(targets)
    , m_folder(mirrorFolder.isEmpty() ? runDir(runId) : std::filesystem::path(mirrorFolder.toStdString()))
    , m_interval(kLookInterval)
{
    connect(&m_look, &QTimer::timeout, this, &RunFollower::lookForStreams);
}

RunFollower::~RunFollower() = default;

void RunFollower::start()
{
    if (m_hosts.isEmpty())
        return;
    m_attempts = std::make_unique<AttemptMirror>(m_runId, m_targets.target(m_hosts.first()), m_folder);
    connect(m_attempts.get(), &AttemptMirror::arrived, this, &RunFollower::attemptArrived);
    connect(m_attempts.get(), &AttemptMirror::problem, this, &RunFollower::problem);
    followMirrored();
    for (int node = 0; node < m_hosts.size(); ++node) {
        Target& target = m_targets.target(m_hosts[node]);
        connect(&target, &Target::stateChanged, this, [this, node] { onTargetState(node); });
        QMetaObject::invokeMethod(
            this, [this, node] { onTargetState(node); }, Qt::QueuedConnection);
    }
    m_look.start(m_interval);
}

/// What an earlier desk has mirrored is shown before any host answers.
void RunFollower::followMirrored()
{
    const QDir journal(QString::fromStdString((m_folder / "journal").string()));
    for (const QString& stream : journal.entryList(QDir::Files)) {
        for (int node = 0; node < m_hosts.size(); ++node) {
            if (!stream.contains('.') && belongsTo(node, stream))
                follow(node, stream);
        }
    }
}

void RunFollower::onTargetState(int node)
{
    Target* target = m_targets.find(m_hosts[node]);
    if (target && target->state() == Target::State::Ready) {
        // Also puts right what the host says about a run whose supervisor died.
        if (node == 0) {
            target->call({{"op", "runs"}}, this, Target::Reply());
            m_attempts->fetch();
        }
        lookForStreams();
    }
    updateLink();
}

void RunFollower::lookForStreams()
{
    for (int node = 0; node < m_hosts.size(); ++node) {
        Target* target = m_targets.find(m_hosts[node]);
        if (!target || target->state() != Target::State::Ready)
            continue;
        target->call({{"op", "streams"}, {"run", m_runId}}, this,
                     [this, node](const Result<QJsonObject>& reply) {
                         if (reply.ok())
                             onStreams(node, *reply);
                         else if (reply.error().kind != ErrorKind::Unreachable)
                             emit problem(reply.error());
                     });
    }
}

/// With one file system for all hosts every host shows every stream; each is followed where it is written.
bool RunFollower::belongsTo(int node, const QString& stream) const
{
    const QString own = QString("node-%1").arg(node);
    return stream == own || (node == 0 && !stream.startsWith("node-"));
}

std::size_t RunFollower::mostStreams() const
{
    return static_cast<std::size_t>(m_hosts.size() + kStreamsOfTheRun);
}

void RunFollower::onStreams(int node, const QJsonObject& reply)
{
    for (const auto& entry : reply.value("streams").toArray()) {
        const QJsonObject stream = entry.toObject();
        const QString name = stream.value("stream").toString();
        if (!isPlainName(name.toStdString()) || name.contains('.') || !belongsTo(node, name))
            continue;
        if (!m_hostBytes.contains(name) && m_hostBytes.size() >= mostStreams())
            continue;
        m_hostBytes[name] = static_cast<std::uint64_t>(std::max<qint64>(0, stream.value("size").toInteger()));
        follow(node, name);
    }
    m_headAnswered = m_headAnswered || node == 0;
    if (node == 0 && m_state && isFinal(*m_state))
        ++m_looksSinceFinal;
    updateLink();
}

void RunFollower::follow(int node, const QString& stream)
{
    if (m_streams.count(stream) > 0 || m_streams.size() >= mostStreams())
        return;
    auto mirror = StreamMirror::open(m_folder / "journal" / stream.toStdString());
    if (!mirror.ok()) {
        if (m_unwritable.insert(stream).second)
            emit problem(mirror.error());
        return;
    }
    auto follower = std::make_unique<StreamFollower>(m_runId, stream, m_targets.target(m_hosts[node]),
                                                     std::move(mirror).value());
    connect(follower.get(), &StreamFollower::recordsArrived, this,
            [this, stream](const std::vector<Record>& records) { onRecords(stream, records); });
    connect(follower.get(), &StreamFollower::restarted, this,
            [this, stream] { emit streamRestarted(stream); });
    connect(follower.get(), &StreamFollower::problem, this, &RunFollower::problem);
    follower->start();
    m_streams.emplace(stream, std::move(follower));
}

JournalEnd RunFollower::mirrorEnd(const QString& stream) const
{
    const auto follower = m_streams.find(stream);
    return follower == m_streams.end() ? JournalEnd() : follower->second->mirrorEnd();
}

void RunFollower::onRecords(const QString& stream, const std::vector<Record>& records)
{
    emit recordsArrived(stream, records);
    m_looksSinceFinal = 0;
    for (const Record& record : records) {
        if (stream == "run")
            onWordOfSupervisor(record);
    }
    updateLink();
}

void RunFollower::onWordOfSupervisor(const Record& record)
{
    if (const auto* state = std::get_if<StateRecord>(&record.payload)) {
        m_state = state->state;
        m_finished = m_finished && isFinal(*m_state);
    }
    const auto* event = std::get_if<EventRecord>(&record.payload);
    if (event && event->kind == "attempt-started")
        m_attempts->attemptBegan(record.attempt);
}

bool RunFollower::everythingIsHere() const
{
    for (const auto& [stream, bytes] : m_hostBytes) {
        const auto follower = m_streams.find(stream);
        if (follower == m_streams.end() || follower->second->bytesFollowed() < bytes)
            return false;
    }
    return true;
}

void RunFollower::updateLink()
{
    std::uint64_t behind = 0;
    for (const auto& [stream, bytes] : m_hostBytes) {
        const auto follower = m_streams.find(stream);
        const std::uint64_t here = follower == m_streams.end() ? 0 : follower->second->bytesFollowed();
        behind = std::max(behind, bytes - std::min(bytes, here));
    }
    const Target* head = m_targets.find(m_hosts.value(0));
    const bool up = head && head->state() == Target::State::Ready;
    const LinkState next = !up                     ? LinkState::Lost
                           : behind > kBehindBytes ? LinkState::Behind
                                                   : LinkState::Live;
    if (next != m_link) {
        m_link = next;
        emit linkChanged(next);
    }
    if (!m_finished && isOver()) {
        m_finished = true;
        emit finished();
    }
    paceLooks();
}

/// While bytes are missing after the end, their host may be unreachable for a while: no hurry then.
void RunFollower::paceLooks()
{
    const bool isEnding = m_state && isFinal(*m_state) && !m_finished && everythingIsHere();
    const auto interval = isEnding ? std::min(m_interval, kLookIntervalAfterEnd) : m_interval;
    if (m_look.isActive() && m_look.intervalAsDuration() != interval)
        m_look.start(interval);
}

bool RunFollower::isOver() const
{
    const int looks = everythingIsHere() ? kLooksAfterEnd : kLooksAtTornTail;
    return m_state && isFinal(*m_state) && m_looksSinceFinal >= looks && !m_attempts->isFetching();
}

} // namespace trainyard
