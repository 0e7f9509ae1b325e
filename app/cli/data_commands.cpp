#include "app/cli/commands.h"
#include "app/cli/support/console.h"
#include "app/cli/support/data_on_hosts.h"
#include "app/cli/support/node_tool.h"

namespace trainyard {

namespace {

/// Adds a command whose options are the node executable's own; `--help` too is answered by it.
CLI::App* addPassedOn(CLI::App& app, const char* name, const char* description)
{
    CLI::App* command = app.add_subcommand(name, description);
    command->allow_extras();
    command->set_help_flag();
    return command;
}

std::vector<std::string> withName(const char* name, const std::vector<std::string>& rest)
{
    std::vector<std::string> arguments{name};
    arguments.insert(arguments.end(), rest.begin(), rest.end());
    return arguments;
}

} // namespace

void addDataCommands(CLI::App& app, CommandOutcome& outcome)
{
    auto hosts = std::make_shared<std::vector<std::string>>();
    CLI::App* prepare = addPassedOn(
        app, "prepare", "Turn a dump, or labelled examples, into sharded HDF5 (options: prepare --help)");
    prepare
        ->add_option(
            "--host", *hosts,
            "Run on this host and follow from here; paths are on that host. Given several times, the hosts "
            "share the files, in equal parts or by name (HOST:/path), and the first stores the result")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    prepare->callback([&outcome, prepare, hosts] {
        outcome.status = hosts->empty()
                             ? becomeNodeTool("trainyard-prepare", withName("prepare", prepare->remaining()))
                             : console::exitWith(prepareOnHosts(*hosts, prepare->remaining()));
    });
    auto host = std::make_shared<std::string>();
    CLI::App* verify =
        addPassedOn(app, "verify", "Check every invariant of a data set; --sample N prints decoded rows");
    verify->add_option("--host", *host, "Check on this host; the folder is a path there");
    verify->callback([&outcome, verify, host] {
        outcome.status = host->empty()
                             ? becomeNodeTool("trainyard-prepare", withName("verify", verify->remaining()))
                             : console::exitWith(verifyOnHost(*host, verify->remaining()));
    });
    for (const auto& [name, description] :
         {std::pair{"adopt", "Make shards of another tool (NVIDIA's HDF5) a data set: DIR --vocab FILE"},
          std::pair{"convert", "Write the rows of a data set in another format: --format mds --out DIR"},
          std::pair{"tokenize", "Tokenize JSON lines: {\"text\"} in, {\"ids\"} out"},
          std::pair{"train-tokenizer",
                    "Train a byte-level BPE on JSON lines {\"text\"}: --out tokenizer.json"}}) {
        CLI::App* command = addPassedOn(app, name, description);
        command->callback([&outcome, command, name = name] {
            outcome.status = becomeNodeTool("trainyard-prepare", withName(name, command->remaining()));
        });
    }
}

void addCertifyCommand(CLI::App& app, CommandOutcome& outcome)
{
    CLI::App* command =
        addPassedOn(app, "certify", "Check that a specification's layout computes the same as one rank");
    command->callback([&outcome, command] {
        outcome.status = becomeNodeTool("trainyard-worker", withName("certify", command->remaining()));
    });
}

} // namespace trainyard
