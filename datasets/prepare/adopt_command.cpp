#include "datasets/prepare/commands.h"

#include <memory>

#include <fmt/format.h>

#include "datasets/prepare/job_place.h"
#include "datasets/verification/adoption.h"
#include "engine/base/standard_streams.h"

namespace trainyard {

namespace {

struct AdoptArguments {
    std::filesystem::path folder;
    std::filesystem::path vocabulary;
    JobPlace place;
};

Status adopt(const AdoptArguments& arguments)
{
    TRAINYARD_TRY(const Manifest manifest,
                  arguments.place.watch([&](Progress& progress, const CancelFlag& cancel) {
                      return adoptDataset(arguments.folder, arguments.vocabulary, progress, cancel);
                  }));
    printOutput(fmt::format("{}: {} rows for training and {} held out, {} tokens each, in {} shards\n",
                            arguments.folder.string(), manifest.trainingRows(), manifest.testRows(),
                            manifest.sequenceLength, manifest.shards.size()));
    return {};
}

} // namespace

Command addAdoptCommand(CLI::App& app)
{
    auto arguments = std::make_shared<AdoptArguments>();
    CLI::App* command =
        app.add_subcommand("adopt", "make shards of another tool a data set, by writing their manifest");
    command->footer("The shards stay as they are; every row is checked first.\n"
                    "Example:\n  trainyard adopt wikicorpus_en --vocab vocab.txt");
    command
        ->add_option("folder", arguments->folder,
                     "folder with shards (*.hdf5) as NVIDIA's scripts write them")
        ->required();
    command->add_option("--vocab", arguments->vocabulary, "vocabulary that they were made with")->required();
    arguments->place.addOptions(*command);
    return {command, [arguments] { return adopt(*arguments); }};
}

} // namespace trainyard
