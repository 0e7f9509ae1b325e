#include <algorithm>
#include <cstdio>
#include <optional>
#include <vector>

#include <CLI/CLI.hpp>
#include <QCoreApplication>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QTemporaryDir>

#include "remote/data/data_send.h"
#include "tests/auto/data/made_data_set.h"
#include "tests/support/lab/netns_lab.h"

using namespace trainyard;

namespace {

struct Options {
    int mib = 200;
    int shards = 16;
    int hosts = 4;
    int rounds = 5;
};

double median(std::vector<double> values)
{
    std::ranges::sort(values);
    return values[values.size() / 2];
}

/// Seconds; negative when it failed.
double sendSeconds(TargetPool& pool, const QString& folder, const QStringList& hosts)
{
    QElapsedTimer timer;
    timer.start();
    DataSend sending({{}, folder}, hosts, pool);
    QEventLoop loop;
    std::optional<Status> result;
    QObject::connect(&sending, &DataSend::finished, &loop, [&](const Status& status) {
        result = status;
        loop.quit();
    });
    sending.start();
    if (!result)
        loop.exec();
    if (!result->ok())
        std::fprintf(stderr, "sending: %s\n", result->error().text().c_str());
    return result->ok() ? double(timer.nsecsElapsed()) / 1e9 : -1;
}

double rsyncSeconds(const lab::NetnsLab& lab, const QString& host, const QString& folder)
{
    QElapsedTimer timer;
    timer.start();
    const auto done =
        lab::runCommand({"rsync", "-a", "-e",
                         "ssh -F none -i " + lab.clientKey() + " -o UserKnownHostsFile=" + lab.knownHosts(),
                         folder + '/', "root@" + host + ":/root/copy/"});
    if (!done.ok())
        std::fprintf(stderr, "rsync: %s\n", done.errors.constData());
    return done.ok() ? double(timer.nsecsElapsed()) / 1e9 : -1;
}

void clear(lab::NetnsLab& lab)
{
    for (int host = 0; host < lab.hostCount(); ++host)
        lab.host(host).run({"sh", "-c", "rm -rf /root/copy /root/.trainyard/cas /root/.trainyard/data"});
}

int measure(const Options& options)
{
    if (const QString why = lab::NetnsLab::whyNot(); !why.isEmpty()) {
        std::fprintf(stderr, "bench_data_send: %s\n", qPrintable(why));
        return 1;
    }
    lab::NetnsLab lab(lab::NetnsLab::Options{options.hosts, QString("%1m").arg(options.mib * 2 + 100), {}});
    if (const QString trouble = lab.start(); !trouble.isEmpty()) {
        std::fprintf(stderr, "bench_data_send: %s\n", qPrintable(trouble));
        return 1;
    }
    lab.trustHosts();
    const QTemporaryDir folder("/dev/shm/trainyard-bench-XXXXXX");
    const QString set = folder.filePath("set");
    test::makeDataSet(set.toStdString(), options.shards,
                      std::size_t(options.mib) * 1024 * 1024 / std::size_t(options.shards));
    QStringList hosts;
    for (int host = 0; host < lab.hostCount(); ++host)
        hosts << lab.host(host).address();
    TargetPool pool(lab.targetOptions());
    if (sendSeconds(pool, set, hosts) < 0) // the agents are there now
        return 1;
    std::vector<double> rsync, one, all, out;
    for (int round = 0; round < options.rounds; ++round) {
        clear(lab);
        const double copied = rsyncSeconds(lab, hosts[0], set);
        clear(lab);
        const double sent = sendSeconds(pool, set, hosts.mid(0, 1));
        clear(lab);
        const qint64 before = lab.bytesFromDesk();
        const double everywhere = sendSeconds(pool, set, hosts);
        const double share = double(lab.bytesFromDesk() - before) / (double(options.mib) * 1024 * 1024);
        if (copied < 0 || sent < 0 || everywhere < 0)
            return 1;
        std::printf(
            "rsync to one %.3f s, Trainyard to one %.3f s (%.2f), to %d %.3f s (%.2f), %.3f of the size "
            "out of here\n",
            copied, sent, copied / sent, options.hosts, everywhere, copied / everywhere, share);
        rsync.push_back(copied);
        one.push_back(sent);
        all.push_back(everywhere);
        out.push_back(share);
    }
    const double mb = double(options.mib) * 1.048576;
    std::printf(
        "median: rsync %.0f MB/s; Trainyard to one host %.0f MB/s (%.2f times rsync), to %d hosts %.3f s "
        "(%.2f times rsync to one), %.3f of the size out of here\n",
        mb / median(rsync), mb / median(one), median(rsync) / median(one), options.hosts, median(all),
        median(rsync) / median(all), median(out));
    return 0;
}

} // namespace

/// Sends a data set to hosts made of namespaces, in turns with rsync of the same files to one of them.
int main(int argc, char** argv)
{
    QCoreApplication application(argc, argv);
    Options options;
    CLI::App app("Time of sending a data set against rsync", "bench_data_send");
    app.add_option("--mib", options.mib, "Size of the data set")->capture_default_str();
    app.add_option("--shards", options.shards, "Files")->check(CLI::PositiveNumber)->capture_default_str();
    app.add_option("--hosts", options.hosts, "Hosts")->check(CLI::PositiveNumber)->capture_default_str();
    app.add_option("--rounds", options.rounds, "Rounds")->check(CLI::PositiveNumber)->capture_default_str();
    CLI11_PARSE(app, argc, argv);
    return measure(options);
}
