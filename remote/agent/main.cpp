#include <csignal>
#include <cstdlib>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <openssl/crypto.h>

#include "engine/base/file.h"
#include "remote/agent/host/detach.h"
#include "remote/agent/host/machine.h"
#include "remote/agent/probe/probe.h"
#include "remote/agent/sampler/sampler.h"
#include "remote/agent/serve/session.h"
#include "remote/agent/supervise/supervisor.h"

namespace {

namespace fs = std::filesystem;
using namespace trainyard;
using namespace trainyard::agent;

fs::path defaultRoot()
{
    if (const char* home = std::getenv("TRAINYARD_HOME"))
        return home;
    const char* home = std::getenv("HOME");
    return fs::path(home ? home : "/") / ".trainyard";
}

int report(const Error& error)
{
    fmt::print(stderr, "trainyard-agent: {}\n", error.text());
    return exitStatus(error.kind);
}

/// Nobody else may look into the agent's folder: it holds specifications and logs.
Result<fs::path> prepareRoot(const fs::path& root)
{
    TRAINYARD_TRY_STATUS(makeFolder(root));
    std::error_code error;
    const fs::path canonical = fs::canonical(root, error);
    if (error || ::chmod(canonical.c_str(), 0700) != 0)
        return failed("cannot use the folder " + root.string());
    return canonical;
}

int serve(const fs::path& root, bool local)
{
    const auto prepared = prepareRoot(root);
    if (!prepared.ok())
        return report(prepared.error());
    Session session({*prepared, local}, STDIN_FILENO, STDOUT_FILENO);
    const Status served = session.serve();
    return served.ok() ? 0 : report(served.error());
}

int showProbe(const fs::path& root)
{
    fmt::print("{}\n", probe(root).dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
    return 0;
}

int supervise(const fs::path& runFolder, std::uint32_t attempt)
{
    const RunFolder folder(runFolder);
    auto readiness = detach(folder.supervisorLog());
    if (!readiness.ok())
        return report(readiness.error());
    auto supervisor = Supervisor::start(folder, attempt);
    const Status launched = supervisor.ok() ? (*supervisor)->launch() : Status(supervisor.error());
    if (!launched.ok()) {
        readiness->failedWith(launched.error());
        return report(launched.error());
    }
    readiness->isUp();
    return (*supervisor)->watch();
}

int attend(const fs::path& runFolder, const SamplerOptions& options)
{
    const RunFolder folder(runFolder);
    auto readiness = detach(folder.samplerLog(options.node));
    if (!readiness.ok())
        return report(readiness.error());
    auto sampler = Sampler::start(folder, options);
    if (!sampler.ok()) {
        readiness->failedWith(sampler.error());
        return report(sampler.error());
    }
    if (!*sampler) {
        readiness->isNotNeeded();
        return 0;
    }
    readiness->isUp();
    (*sampler)->run();
    return 0;
}

} // namespace

int main(int argc, char** argv)
{
    ::signal(SIGPIPE, SIG_IGN);
    // The machine's OpenSSL settings are for its own programs; a module that they name could not be opened by
    // a static one.
    OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr);

    CLI::App app("Trainyard's agent: the part of Trainyard that lives on the nodes.", "trainyard-agent");
    app.set_version_flag("--version", TRAINYARD_VERSION);
    app.require_subcommand(1);
    std::string root = defaultRoot();
    bool local = false;
    std::string runFolder;
    std::uint32_t attempt = 1;
    SamplerOptions sampling;
    std::int64_t intervalMs = sampling.interval.count();

    auto* serveCommand = app.add_subcommand("serve", "Serve one client on stdin and stdout");
    serveCommand->add_option("--root", root, "The agent's folder")->capture_default_str();
    serveCommand->add_flag("--local", local,
                           "The client is on this machine and may start installed programs");
    auto* probeCommand = app.add_subcommand("probe", "Print the facts of this machine as JSON");
    probeCommand->add_option("--root", root, "The agent's folder")->capture_default_str();
    bool json = true;
    probeCommand->add_flag("--json", json, "JSON, which is the only form there is");
    auto* superviseCommand =
        app.add_subcommand("supervise", "Start and watch one attempt of a run, detached");
    superviseCommand->add_option("--run-dir", runFolder)->required();
    superviseCommand->add_option("--attempt", attempt)->required();
    auto* attendCommand =
        app.add_subcommand("attend", "Sample this node's devices while a run is at work, detached");
    attendCommand->add_option("--run-dir", runFolder)->required();
    attendCommand->add_option("--node", sampling.node)->required();
    attendCommand->add_option("--attempt", attempt)->capture_default_str();
    attendCommand->add_option("--interval-ms", intervalMs)->capture_default_str();
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : exitStatus(ErrorKind::BadInput);
    }
    sampling.attempt = attempt;
    sampling.interval = std::chrono::milliseconds(intervalMs);
    if (serveCommand->parsed())
        return serve(root, local);
    if (probeCommand->parsed())
        return showProbe(root);
    return superviseCommand->parsed() ? supervise(runFolder, attempt) : attend(runFolder, sampling);
}
