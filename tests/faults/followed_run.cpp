#include "tests/faults/followed_run.h"

#include <algorithm>
#include <optional>

#include "tests/support/file_content.h"
#include "tests/support/patience.h"

namespace trainyard::support {

namespace {

constexpr std::chrono::milliseconds kFeedInterval{5};

} // namespace

FollowedRun::FollowedRun(lab::LabHost& host, const TargetOptions& options, const QString& name)
    : m_host(host), m_pool(options), m_name(name), m_id("20261122T090000Z-" + name + "-0001")
{
}

int FollowedRun::lostCount() const
{
    return int(std::count_if(m_states.begin(), m_states.end(), [](const auto& state) {
        return state[0].template value<Target::State>() == Target::State::Lost;
    }));
}

void FollowedRun::start()
{
    AWAIT_EQUAL(target().state(), Target::State::Ready);
    std::optional<Result<QJsonObject>> reply;
    target().call(createRunRequest(m_id), [&](const Result<QJsonObject>& r) { reply = r; });
    AWAIT(reply.has_value());
    QVERIFY2(reply->ok(), reply->ok() ? "" : reply->error().text().c_str());
    m_run = std::make_unique<FedRun>(runFolder());
    m_follower = std::make_unique<RunFollower>(m_id, QStringList{m_name}, m_pool, m_dir.path());
    m_ledger = std::make_unique<RecordLedger>(*m_follower);
    m_follower->start();
    m_run->feedEvery(kFeedInterval);
    AWAIT(seen() > 10);
}

void FollowedRun::awaitNewRecords()
{
    const quint64 until = written() + 20;
    AWAIT(seen() >= until);
}

void FollowedRun::finish()
{
    m_run->pause();
    AWAIT_EQUAL(seen(), written());
    QVERIFY2(m_ledger->complaints().isEmpty(), qPrintable(m_ledger->complaints()));
    QCOMPARE(contentOf(m_dir.filePath("journal/steps")), contentOf(runFolder() + "/journal/steps"));
}

} // namespace trainyard::support
