#include <algorithm>
#include <cstdio>
#include <vector>

#include <CLI/CLI.hpp>
#include <QCoreApplication>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QTemporaryDir>

#include "remote/deploy/deployer.h"
#include "remote/target/target_pool.h"
#include "tests/support/bundle/small_bundle.h"
#include "tests/support/lab/netns_lab.h"

using namespace trainyard;

namespace {

struct Options {
    int mib = 200;
    int files = 8;
    int rounds = 5;
    int roundTripMs = 0; ///< 0 = a plain veth pair
};

double median(std::vector<double> values)
{
    std::ranges::sort(values);
    return values[values.size() / 2];
}

/// Seconds from the first word with the host to the assembled bundle; negative when it failed.
double deploySeconds(TargetPool& pool, const QString& host, const Bundle& bundle)
{
    QElapsedTimer timer;
    timer.start();
    Deployer deployer(bundle, {&pool.target(host)});
    QEventLoop loop;
    Status result;
    QObject::connect(&deployer, &Deployer::finished, &loop, [&](const Status& status) {
        result = status;
        loop.quit();
    });
    deployer.start();
    loop.exec();
    if (!result.ok())
        std::fprintf(stderr, "deployment: %s\n", result.error().text().c_str());
    return result.ok() ? double(timer.nsecsElapsed()) / 1e9 : -1;
}

double scpSeconds(const lab::NetnsLab& lab, const QString& host, const QString& folder)
{
    QElapsedTimer timer;
    timer.start();
    const auto done =
        lab::runCommand({"scp", "-F", "none", "-q", "-r", "-i", lab.clientKey(), "-o",
                         "UserKnownHostsFile=" + lab.knownHosts(), folder, "root@" + host + ":/root/copy"});
    if (!done.ok())
        std::fprintf(stderr, "scp: %s\n", done.errors.constData());
    return done.ok() ? double(timer.nsecsElapsed()) / 1e9 : -1;
}

/// One file of each kind a bundle has: few big ones, many small ones.
Bundle makeBundle(const Options& options, const std::filesystem::path& folder)
{
    std::vector<support::BundleContent> files;
    const std::size_t size = std::size_t(options.mib) * 1024 * 1024 / std::size_t(options.files);
    for (int i = 0; i < options.files; ++i)
        files.push_back({"lib/part" + std::to_string(i), support::noise(size, unsigned(i + 1))});
    support::writeBundle(folder, files);
    return Bundle::load(folder, TRAINYARD_VERSION).value();
}

void clear(lab::LabHost& host)
{
    host.run({"sh", "-c", "rm -rf /root/copy /root/.trainyard/cas /root/.trainyard/bundles"});
}

int measure(const Options& options)
{
    if (const QString why = lab::NetnsLab::whyNot(); !why.isEmpty()) {
        std::fprintf(stderr, "bench_upload: %s\n", qPrintable(why));
        return 1;
    }
    lab::NetnsLab::Options lan;
    lan.diskSize = QString("%1m").arg(options.mib * 3 + 100);
    lan.sshdOptions = QStringList{"Subsystem sftp internal-sftp"};
    lan.linkTools = options.roundTripMs > 0;
    lab::NetnsLab lab(lan);
    QString trouble = lab.start();
    if (trouble.isEmpty() && lan.linkTools) {
        link::LinkConditions slow;
        slow.delay = std::chrono::milliseconds(options.roundTripMs) / 2; // each way
        trouble = lab.host(0).setLink(slow);
    }
    if (!trouble.isEmpty()) {
        std::fprintf(stderr, "bench_upload: %s\n", qPrintable(trouble));
        return 1;
    }
    lab.trustHosts();
    const QString host = lab.host(0).address();
    const QTemporaryDir folder("/dev/shm/trainyard-bench-XXXXXX");
    const Bundle bundle = makeBundle(options, folder.path().toStdString());

    std::vector<double> cold, warm, again, scp;
    for (int round = -1; round < options.rounds; ++round) {
        clear(lab.host(0));
        const double copied = scpSeconds(lab, host, folder.path());
        clear(lab.host(0));
        TargetPool pool(lab.targetOptions());
        const double first = deploySeconds(pool, host, bundle);
        const double unchanged = deploySeconds(pool, host, bundle);
        clear(lab.host(0));
        const double up = deploySeconds(pool, host, bundle);
        if (copied < 0 || first < 0 || unchanged < 0 || up < 0)
            return 1;
        std::printf("%-8s scp %.3f s, with connecting %.3f s (%.2f), link up %.3f s (%.2f), again %.3f s\n",
                    round < 0 ? "warm-up" : "", copied, first, copied / first, up, copied / up, unchanged);
        if (round < 0)
            continue;
        scp.push_back(copied);
        cold.push_back(first);
        warm.push_back(up);
        again.push_back(unchanged);
    }
    const double mb = double(bundle.totalBytes()) / 1e6;
    std::printf("median: scp %.0f MB/s; Trainyard %.0f MB/s with connecting (%.2f times scp), %.0f MB/s on a "
                "link that is up (%.2f); unchanged %.0f ms\n",
                mb / median(scp), mb / median(cold), median(scp) / median(cold), mb / median(warm),
                median(scp) / median(warm), 1e3 * median(again));
    return 0;
}

} // namespace

/// Deploys a bundle over SSH to a host made of namespaces, in turns with scp of the same files.
int main(int argc, char** argv)
{
    QCoreApplication application(argc, argv);
    Options options;
    CLI::App app("Time of a deployment against scp", "bench_upload");
    app.add_option("--mib", options.mib, "Size of the bundle")->capture_default_str();
    app.add_option("--files", options.files, "Files of the bundle")->capture_default_str();
    app.add_option("--rtt-ms", options.roundTripMs, "Round trip through the link tool")
        ->capture_default_str();
    app.add_option("--rounds", options.rounds, "Rounds")->check(CLI::PositiveNumber)->capture_default_str();
    CLI11_PARSE(app, argc, argv);
    return measure(options);
}
