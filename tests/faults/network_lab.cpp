#include "tests/faults/network_lab.h"

#include <QJsonObject>
#include <QTest>

#include "remote/target/target.h"
#include "tests/support/patience.h"

namespace trainyard::support {

using namespace std::chrono_literals;

namespace {

constexpr int kHosts = 2;

} // namespace

void NetworkLab::start()
{
    lab::NetnsLab::Options options;
    options.hosts = kHosts;
    options.diskSize = "128m";
    options.linkTools = true;
    m_lab = std::make_unique<lab::NetnsLab>(options);
    const QString trouble = m_lab->start();
    QVERIFY2(trouble.isEmpty(), qPrintable(trouble));
    m_lab->trustHosts();
    for (int i = 0; i < kHosts; ++i) { // the agent is there from now on
        const auto target = Target::create(host(i).address(), m_lab->targetOptions());
        target->open();
        AWAIT_EQUAL(target->state(), Target::State::Ready);
    }
}

void NetworkLab::heal()
{
    if (!m_lab)
        return;
    for (int i = 0; i < kHosts; ++i) {
        host(i).setLink({});
        host(i).run({"sh", "-c", "rm -rf /root/.trainyard/runs/*"});
    }
}

TargetOptions NetworkLab::quickOptions() const
{
    TargetOptions options = m_lab->targetOptions();
    options.pingInterval = 500ms;
    options.lostAfter = 3000ms;
    return options;
}

qint64 framesThatWere(const QString& what, lab::LabHost& host)
{
    const QJsonObject all = host.linkCounters();
    return all.value("to_host").toObject().value(what).toInteger() +
           all.value("from_host").toObject().value(what).toInteger();
}

QString seconds(qint64 ms)
{
    return QString::number(double(ms) / 1000, 'f', 1) + " s";
}

} // namespace trainyard::support
