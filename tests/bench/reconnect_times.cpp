// Time from a reset connection until records flow again, beside what the user's own ssh needs for a command
// on the same host; see README.md.

#include <algorithm>
#include <map>
#include <vector>

#include <CLI/CLI.hpp>
#include <QCoreApplication>
#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTemporaryDir>

#include <fmt/format.h>

#include "tests/support/journal/fed_run.h"
#include "tests/support/lab/netns_lab.h"

namespace {

using namespace trainyard;
using namespace trainyard::support;
using namespace std::chrono_literals;

struct Arguments {
    int resets = 40;
    int roundTripMs = 0;
};

double percentile(std::vector<double> values, double share)
{
    std::sort(values.begin(), values.end());
    const auto last = static_cast<double>(values.size() - 1);
    return values.empty() ? 0 : values[static_cast<std::size_t>(share * last + 0.5)];
}

/// One host with a run whose journal grows by a record every 5 ms, and a follower of it.
class Scene {
public:
    explicit Scene(const Arguments& arguments) : m_lab(labOptions()), m_arguments(arguments) {}

    QString start()
    {
        if (const QString trouble = m_lab.start(); !trouble.isEmpty())
            return trouble;
        m_lab.trustHosts();
        link::LinkConditions conditions;
        conditions.delay = 500us * m_arguments.roundTripMs;
        if (const QString trouble = host().setLink(conditions); !trouble.isEmpty())
            return trouble;
        m_pool = std::make_unique<TargetPool>(m_lab.targetOptions());
        if (!await([this] { return target().state() == Target::State::Ready; }))
            return "the host does not become ready";
        return makeRun();
    }

    /// Milliseconds from the reset to each thing that happened, by name.
    std::map<std::string, double> reset()
    {
        std::map<std::string, double> times;
        QElapsedTimer timer;
        const auto note = [&](const std::string& what) {
            times.emplace(what, double(timer.nsecsElapsed()) / 1e6);
        };
        QObject context;
        QObject::connect(&target(), &Target::stateChanged, &context, [&](Target::State state) {
            note(state == Target::State::Ready ? "7 ready" : "1 lost");
        });
        QObject::connect(&target(), &Target::progress, &context, [&](const QString& text) {
            const std::map<QString, std::string> steps{{"connecting", "2 connecting"},
                                                       {"exchanging", "3 exchanging keys"},
                                                       {"logging", "4 logging in"},
                                                       {"starting", "5 starting the agent"}};
            if (const auto step = steps.find(text.section(' ', 0, 0)); step != steps.end())
                note(step->second);
        });
        timer.start();
        host().resetConnections();
        const bool lost = await([&] { return times.count("1 lost") > 0; });
        const auto before = m_ledger->count("steps");
        if (lost && await([&] { return m_ledger->count("steps") > before; }))
            note("8 first record");
        return times;
    }

    double sshMs()
    {
        QElapsedTimer timer;
        timer.start();
        const auto done = lab::runCommand({"ssh", "-F", "none", "-i", m_lab.clientKey(), "-o",
                                           "UserKnownHostsFile=" + m_lab.knownHosts(), "-o", "BatchMode=yes",
                                           "root@" + host().address(), "true"});
        return done.ok() ? double(timer.nsecsElapsed()) / 1e6 : -1;
    }

    /// So that the next reset finds a link that counts as stable.
    void rest()
    {
        (void)await([] { return false; }, 1500);
    }
    QString complaints() const { return m_ledger->complaints(); }

private:
    static lab::NetnsLab::Options labOptions()
    {
        lab::NetnsLab::Options options;
        options.linkTools = true;
        return options;
    }
    lab::LabHost& host() { return m_lab.host(0); }
    Target& target() { return m_pool->target(host().address()); }

    template <typename Condition>
    static bool await(Condition condition, int patienceMs = 60'000)
    {
        QElapsedTimer timer;
        timer.start();
        while (!condition() && timer.elapsed() < patienceMs)
            QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents, 5);
        return condition();
    }

    QString makeRun()
    {
        const QString id = "20261122T090000Z-bench-0001";
        bool made = false;
        target().call(createRunRequest(id), [&](const Result<QJsonObject>& reply) { made = reply.ok(); });
        if (!await([&] { return made; }))
            return "the run is not made";
        m_run = std::make_unique<FedRun>(host().path("/root/.trainyard/runs/" + id));
        m_follower = std::make_unique<RunFollower>(id, QStringList{host().address()}, *m_pool, m_dir.path());
        m_ledger = std::make_unique<RecordLedger>(*m_follower);
        m_follower->start();
        m_run->feedEvery(5ms);
        return await([this] { return m_ledger->count("steps") > 10; }) ? QString() : "no records come";
    }

    QTemporaryDir m_dir;
    lab::NetnsLab m_lab;
    Arguments m_arguments;
    std::unique_ptr<TargetPool> m_pool;
    std::unique_ptr<FedRun> m_run;
    std::unique_ptr<RunFollower> m_follower;
    std::unique_ptr<RecordLedger> m_ledger;
};

int run(const Arguments& arguments)
{
    Scene scene(arguments);
    if (const QString trouble = scene.start(); !trouble.isEmpty()) {
        fmt::print(stderr, "{}\n", trouble.toStdString());
        return 1;
    }
    std::map<std::string, std::vector<double>> times;
    for (int i = 0; i < arguments.resets; ++i) {
        scene.rest();
        for (const auto& [what, ms] : scene.reset())
            times[what].push_back(ms);
        times["ssh HOST true"].push_back(scene.sshMs());
    }
    fmt::print("{} resets, round trip {} ms; ms from the reset\n{:24} {:>8} {:>8} {:>8} {:>6}\n",
               arguments.resets, arguments.roundTripMs, "", "p50", "p95", "max", "n");
    for (const auto& [what, all] : times)
        fmt::print("{:24} {:8.1f} {:8.1f} {:8.1f} {:6}\n", what, percentile(all, 0.5), percentile(all, 0.95),
                   percentile(all, 1), all.size());
    fmt::print("first record / ssh: {:.2f}; records lost or doubled: {}\n",
               percentile(times["8 first record"], 0.5) / percentile(times["ssh HOST true"], 0.5),
               scene.complaints().isEmpty() ? "none" : scene.complaints().toStdString());
    return 0;
}

} // namespace

int main(int argc, char** argv)
{
    Arguments arguments;
    CLI::App app("Times of reconnections");
    app.add_option("--resets", arguments.resets, "how many");
    app.add_option("--round-trip", arguments.roundTripMs, "of the link, in ms");
    CLI11_PARSE(app, argc, argv);
    QCoreApplication application(argc, argv);
    if (const QString why = lab::NetnsLab::whyNot(); !why.isEmpty()) {
        fmt::print(stderr, "{}\n", why.toStdString());
        return 1;
    }
    return run(arguments);
}
