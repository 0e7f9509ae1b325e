#include "app/cli/command_help.h"

#include <map>
#include <string>

#include "engine/base/command_line.h"

namespace trainyard {

namespace {

/// What somebody types, by command. Those that explain themselves with examples have none here.
const std::map<std::string, std::string>& examples()
{
    static const std::map<std::string, std::string> map{
        {"demo", "  trainyard demo                                in the window\n"
                 "  trainyard demo --headless --out /tmp/demo     under three minutes on two cores"},
        {"help", "  trainyard help layouts\n"
                 "  trainyard help micro-batch"},
        {"hosts add", "  trainyard hosts add gpu-03                    as in ~/.ssh/config\n"
                      "  trainyard hosts add alice@10.0.0.7:2222"},
        {"hosts list", "  trainyard hosts list"},
        {"hosts check", "  trainyard hosts check gpu-03\n"
                        "  trainyard hosts check --links gpu-03 gpu-04   can they be one cluster?"},
        {"hosts remove", "  trainyard hosts remove gpu-03"},
        {"hosts remove-old-key", "  trainyard hosts remove-old-key gpu-03"},
        {"clean", "  trainyard clean --host gpu-03 --dry-run\n"
                  "  trainyard clean --host gpu-03 --all          before you give the machine back"},
        {"data",
         "  trainyard data list                          on all hosts\n"
         "  trainyard data send wiki-128 --host gpu-03    and `launch --send-data` sends what hosts lack"},
        {"data send", "  trainyard data send wiki-128 --host gpu-03 --host gpu-04\n"
                      "  trainyard data send gpu-03:/d/wiki-128 --host gpu-04"},
        {"data fetch", "  trainyard data fetch wiki-128-0f3a9c21b7de --host gpu-03 --out wiki-128"},
        {"data list", "  trainyard data list --json | jq '.hosts[].data_sets[].name'"},
        {"data remove", "  trainyard data remove wiki-128-0f3a9c21b7de --host gpu-03"},
        {"plan", "  trainyard plan spec.json --hardware p4d.24xlarge\n"
                 "  trainyard plan spec.json --json | jq .memory\n"
                 "  trainyard plan --validate rows.csv --calibrate 16"},
        {"recipe", "  trainyard recipe\n"
                   "  trainyard recipe bert-large-lamb --data /data/wiki-128 --data /data/wiki-512 "
                   "--out spec.json"},
        {"search", "  trainyard search spec.json --hardware p4d.24xlarge --nodes 120\n"
                   "  trainyard search spec.json --objective cost --spec-out found.json"},
        {"partition", "  trainyard partition spec.json --hardware p4d.24xlarge --spec-out even.json"},
        {"launch", "  trainyard launch spec.json --follow\n"
                   "  trainyard launch spec.json --wait        begins when the GPUs are free\n"
                   "  trainyard launch spec.json --send-data   sends the data set to hosts that lack it\n"
                   "  run=$(trainyard launch spec.json --host gpu-03)"},
        {"runs tag", "  trainyard runs tag 20261121T091505Z-bert-tiny-3f2a paper baseline"},
        {"runs note", "  trainyard runs note 20261121T091505Z-bert-tiny-3f2a \"the warm-up was too short\""},
        {"runs archive", "  trainyard runs archive 20261121T091505Z-bert-tiny-3f2a\n"
                         "  trainyard runs --search is:archived"},
        {"runs delete",
         "  trainyard runs delete 20261121T091505Z-bert-tiny-3f2a --confirm bert-tiny\n"
         "  trainyard runs delete 20261121T091505Z-bert-tiny-3f2a --hosts   with its checkpoints there"},
        {"runs spec", "  trainyard runs spec 20261121T091505Z-bert-tiny-3f2a --out again.json"},
        {"relaunch", "  trainyard relaunch 20261121T091505Z-bert-tiny-3f2a --follow"},
        {"diff", "  trainyard diff 20261121T091505Z-bert-tiny-3f2a 20261122T101010Z-bert-tiny-00aa"},
        {"attach", "  trainyard attach 20261121T091505Z-bert-tiny-3f2a\n"
                   "  trainyard attach 20261121T091505Z-bert-tiny-3f2a --host gpu-03 --read-only"},
        {"stop", "  trainyard stop 20261121T091505Z-bert-tiny-3f2a\n"
                 "  trainyard stop 20261121T091505Z-bert-tiny-3f2a --grace \"2 min\""},
        {"checkpoint", "  trainyard checkpoint 20261121T091505Z-bert-tiny-3f2a"},
        {"checkpoints", "  trainyard checkpoints 20261121T091505Z-bert-tiny-3f2a\n"
                        "  trainyard checkpoints 20261121T091505Z-bert-tiny-3f2a --verify --json"},
        {"resume",
         "  trainyard resume 20261121T091505Z-bert-tiny-3f2a --follow\n"
         "  trainyard resume 20261121T091505Z-bert-tiny-3f2a --step 1000\n"
         "  trainyard runs spec 20261121T091505Z-bert-tiny-3f2a --out other.json   then edit its layout\n"
         "  trainyard resume 20261121T091505Z-bert-tiny-3f2a --layout other.json\n"
         "  trainyard resume 20261121T091505Z-bert-tiny-3f2a --without gpu-03"},
        {"logs", "  trainyard logs 20261121T091505Z-bert-tiny-3f2a --rank 3 --follow"},
        {"completion", "  source <(trainyard completion bash)\n"
                       "  trainyard completion fish > ~/.config/fish/completions/trainyard.fish"}};
    return map;
}

void complete(CLI::App& command, const std::string& called)
{
    std::string footer = command.get_footer();
    if (const auto example = examples().find(called); example != examples().end())
        footer += (footer.empty() ? "" : "\n\n") + std::string("Examples:\n") + example->second;
    command.footer(footer + (footer.empty() ? "" : "\n\n") + kExitStatusText);
    for (CLI::App* own : command.get_subcommands([](const CLI::App*) { return true; }))
        complete(*own, called + " " + own->get_name());
}

} // namespace

void completeHelp(CLI::App& app)
{
    for (CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
        complete(*command, command->get_name());
    app.footer(std::string(kExitStatusText) +
               "\nWithout a command the window opens. `trainyard COMMAND --help` explains each, "
               "with examples.");
}

} // namespace trainyard
