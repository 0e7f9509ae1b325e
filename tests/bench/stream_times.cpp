// Times of a run's records on their way to the desk, over a real sshd in a namespace of this machine (as
// root):
//     drain     MB/s at which a journal that is there already is followed, beside `cat` through ssh in the
//     same run latency   from the append of a record, 1,000 a second, to the consumer of the follower frozen
//     memory of agent and desk while the desk is stopped and a journal of 1 GB waits viewers   length of a
//     training step without and with viewers, in turns within one run
#include <algorithm>
#include <csignal>
#include <fstream>
#include <thread>

#include <CLI/CLI.hpp>
#include <QCoreApplication>
#include <QElapsedTimer>
#include <QFile>
#include <QJsonDocument>
#include <fmt/format.h>

#include "engine/base/resident_set.h"
#include "engine/base/units.h"
#include "tests/bench/waiting.h"
#include "tests/integration/cli_fixture.h"
#include "tests/support/journal/fed_run.h"
#include "tests/support/lab/lab_process.h"
#include "tests/support/lab/netns_lab.h"

using namespace trainyard;
using namespace trainyard::support;
using namespace trainyard::test;
using namespace std::chrono_literals;
using bench::percentile;
using bench::waitUntil;

namespace {

const QString kRun = "20261122T091505Z-bench-0001";

/// Steps of `ranks` ranks until the journal has `bytes`.
void fillJournal(const QString& folder, qint64 bytes, int ranks)
{
    auto journal = JournalWriter::open((folder + "/journal").toStdString(), "steps", 1).value();
    StepRecord record;
    record.ranks.resize(std::size_t(ranks));
    for (const QFile file(folder + "/journal/steps"); file.size() < bytes;) {
        for (int i = 0; i < 200; ++i) {
            ++record.step;
            journal.append(record).value();
        }
    }
}

std::uint64_t residentBytesOf(qint64 pid)
{
    std::ifstream file("/proc/" + std::to_string(pid) + "/statm");
    std::uint64_t size = 0, resident = 0;
    file >> size >> resident;
    return resident * 4096;
}

qint64 childOf(qint64 pid)
{
    std::ifstream file("/proc/" + std::to_string(pid) + "/task/" + std::to_string(pid) + "/children");
    qint64 child = 0;
    file >> child;
    return child;
}

/// One host with a run on it.
class Bench {
public:
    Bench() : m_lab({1, "2g", {}})
    {
        const QString trouble = m_lab.start();
        if (!trouble.isEmpty())
            qFatal("%s", qPrintable(trouble));
        m_lab.trustHosts();
        m_pool = std::make_unique<TargetPool>(m_lab.targetOptions());
        waitUntil([this] { return target().state() == Target::State::Ready; });
    }

    Target& target() { return m_pool->target(m_lab.host(0).address()); }
    QString folder(const QString& run) { return m_lab.host(0).path("/root/.trainyard/runs/" + run); }
    void makeRun(const QString& run)
    {
        bool made = false;
        target().call(createRunRequest(run), [&](const Result<QJsonObject>&) { made = true; });
        waitUntil([&] { return made; });
    }

    void drain(qint64 bytes, int ranks)
    {
        const QString run = QString("%1-%2").arg(kRun).arg(ranks);
        makeRun(run);
        fillJournal(folder(run), bytes, ranks);
        const double size = double(QFile(folder(run) + "/journal/steps").size());
        for (int round = 0; round < 3; ++round) {
            QTemporaryDir mirror;
            RunFollower follower(run, {m_lab.host(0).address()}, *m_pool, mirror.path());
            QElapsedTimer timer;
            timer.start();
            follower.start();
            waitUntil([&] { return follower.caughtUp(); });
            const double seconds = double(timer.elapsed()) / 1e3, plain = catSeconds(run);
            fmt::print("drain, {} rank(s) a step: {:.0f} MB in {:.2f} s = {:.0f} MB/s; ssh cat {:.0f} MB/s; "
                       "ratio {:.2f}\n",
                       ranks, size / 1e6, seconds, size / 1e6 / seconds, size / 1e6 / plain, plain / seconds);
        }
        QFile::remove(folder(run) + "/journal/steps");
    }

    void latency(int seconds)
    {
        makeRun(kRun);
        QTemporaryDir mirror;
        RunFollower follower(kRun, {m_lab.host(0).address()}, *m_pool, mirror.path());
        follower.setLookInterval(100ms);
        std::vector<double> milliseconds;
        QObject::connect(&follower, &RunFollower::recordsArrived, &follower,
                         [&](const QString&, const std::vector<Record>& records) {
                             const auto now = systemClock().now().monotonicNs;
                             for (const Record& record : records)
                                 milliseconds.push_back(double(now - record.time.monotonicNs) / 1e6);
                         });
        auto journal = JournalWriter::open((folder(kRun) + "/journal").toStdString(), "steps", 1).value();
        journal.append(StepRecord{}).value();
        follower.start();
        waitUntil([&] { return !milliseconds.empty(); });
        milliseconds.clear();
        const std::size_t all = std::size_t(seconds) * 1000;
        std::thread writer([&] {
            auto next = std::chrono::steady_clock::now();
            for (std::size_t i = 0; i < all; ++i) {
                std::this_thread::sleep_until(next += 1ms);
                journal.append(StepRecord{}).value();
            }
        });
        waitUntil([&] { return milliseconds.size() >= all; });
        writer.join();
        fmt::print(
            "latency over ssh, 1,000 records/s, {} records: p50 {:.1f} ms, p99 {:.1f} ms, max {:.1f} ms\n",
            all, percentile(milliseconds, 0.5), percentile(milliseconds, 0.99), percentile(milliseconds, 1));
    }

private:
    double catSeconds(const QString& run)
    {
        QElapsedTimer timer;
        timer.start();
        lab::runCommand({"sh", "-c",
                         QString("ssh -F none -o BatchMode=yes -i %1 -o UserKnownHostsFile=%2 root@%3 cat "
                                 "/root/.trainyard/runs/%4/journal/steps > /dev/null")
                             .arg(m_lab.clientKey(), m_lab.knownHosts(), m_lab.host(0).address(), run)});
        return double(timer.elapsed()) / 1e3;
    }

    lab::NetnsLab m_lab;
    std::unique_ptr<TargetPool> m_pool;
};

/// A local desk that is stopped, and its agent, while 1 GB waits.
void frozen(qint64 bytes)
{
    CliFixture cli;
    TargetOptions options;
    options.agentRoot = cli.path("home");
    TargetPool pool(options);
    Target& target = pool.target("localhost");
    waitUntil([&] { return target.state() == Target::State::Ready; });
    bool made = false;
    target.call(createRunRequest(kRun), [&](const Result<QJsonObject>&) { made = true; });
    waitUntil([&] { return made; });
    const QString folder = cli.path("home/runs/" + kRun),
                  mirror = cli.path("desk/runs/" + kRun + "/journal/steps");
    fillJournal(folder, 1 << 20, 64);
    const auto desk = cli.start({"attach", kRun, "--host", "localhost"});
    waitUntil([&] { return QFile(mirror).size() >= (1 << 20); });
    const qint64 agent = childOf(desk->processId());
    const auto deskBefore = residentBytesOf(desk->processId()), agentBefore = residentBytesOf(agent);
    ::kill(pid_t(desk->processId()), SIGSTOP);
    fillJournal(folder, bytes, 64);
    std::this_thread::sleep_for(5s);
    fmt::print("frozen desk, {:.1f} GB waiting: agent {} -> {}, desk {} -> {}\n", double(bytes) / 1e9,
               formatBytes(agentBefore), formatBytes(residentBytesOf(agent)), formatBytes(deskBefore),
               formatBytes(residentBytesOf(desk->processId())));
    ::kill(pid_t(desk->processId()), SIGCONT);
    QElapsedTimer timer;
    timer.start();
    std::uint64_t agentPeak = 0, deskPeak = 0;
    waitUntil([&] {
        agentPeak = std::max(agentPeak, residentBytesOf(agent));
        deskPeak = std::max(deskPeak, residentBytesOf(desk->processId()));
        return QFile(mirror).size() == QFile(folder + "/journal/steps").size();
    });
    fmt::print("going on: {:.1f} GB in {:.1f} s; peaks: agent {}, desk {}\n", double(bytes) / 1e9,
               double(timer.elapsed()) / 1e3, formatBytes(agentPeak), formatBytes(deskPeak));
    desk->kill();
    desk->waitForFinished();
}

/// Median length of the steps that were recorded since `from`.
double medianStepMs(const QString& journal, std::size_t& from)
{
    const auto records = readJournal(journal.toStdString()).value().records;
    std::vector<double> milliseconds;
    for (; from < records.size(); ++from) {
        if (const auto* step = std::get_if<StepRecord>(&records[from].payload))
            milliseconds.push_back(step->stepSeconds * 1e3);
    }
    return percentile(milliseconds, 0.5);
}

void viewers(int count, int rounds)
{
    CliFixture cli;
    QString why;
    if (!cli.makeDataset(&why))
        qFatal("%s", qPrintable(why));
    const CliResult launched =
        cli.run({"launch", cli.writeSpec("spec.json", tinySpec(cli.dataset(), 1, 10'000'000))});
    const QString run = launched.out.trimmed(), journal = cli.path("home/runs/" + run + "/journal/steps");
    waitUntil([&] { return QFile(journal).size() > 10'000; });
    std::vector<double> watched, stopped;
    for (int round = 0; round < rounds; ++round) {
        std::size_t from = readJournal(journal.toStdString()).value().records.size();
        std::this_thread::sleep_for(4s);
        const double alone = medianStepMs(journal, from);
        std::vector<std::unique_ptr<QProcess>> desks;
        for (int i = 0; i < count; ++i)
            desks.push_back(cli.start({"attach", run, "--read-only"}));
        std::this_thread::sleep_for(3s); // they have caught up
        from = readJournal(journal.toStdString()).value().records.size();
        std::this_thread::sleep_for(4s);
        watched.push_back(medianStepMs(journal, from) / alone);
        for (const auto& desk : desks)
            ::kill(pid_t(desk->processId()), SIGSTOP);
        from = readJournal(journal.toStdString()).value().records.size();
        std::this_thread::sleep_for(4s);
        stopped.push_back(medianStepMs(journal, from) / alone);
        for (const auto& desk : desks) {
            desk->kill();
            desk->waitForFinished();
        }
    }
    cli.run({"stop", run, "--now"});
    fmt::print(
        "step with {} viewers on the same machine / step with none, median of {} rounds: following {:.3f}, "
        "frozen {:.3f}\n",
        count, rounds, percentile(watched, 0.5), percentile(stopped, 0.5));
}

} // namespace

int main(int argc, char** argv)
{
    QCoreApplication qt(argc, argv);
    CLI::App app("Times of a run's records on their way to the desk");
    qint64 megabytes = 200;
    int seconds = 20, count = 8, rounds = 5;
    std::vector<std::string> what{"drain", "latency", "frozen", "viewers"};
    app.add_option("WHAT", what, "drain, latency, frozen, viewers")->capture_default_str();
    app.add_option("--megabytes", megabytes, "Size of the journal that is drained")->capture_default_str();
    app.add_option("--seconds", seconds, "Length of the latency measurement")->capture_default_str();
    app.add_option("--viewers", count)->capture_default_str();
    app.add_option("--rounds", rounds)->capture_default_str();
    CLI11_PARSE(app, argc, argv);
    const auto wanted = [&](const char* name) {
        return std::find(what.begin(), what.end(), name) != what.end();
    };
    if (wanted("drain") || wanted("latency")) {
        Bench bench;
        if (wanted("drain")) {
            bench.drain(megabytes * 1'000'000, 1);
            bench.drain(megabytes * 1'000'000, 64);
        }
        if (wanted("latency"))
            bench.latency(seconds);
    }
    if (wanted("frozen"))
        frozen(1'000'000'000);
    if (wanted("viewers"))
        viewers(count, rounds);
    return 0;
}
