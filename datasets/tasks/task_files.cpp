#include "datasets/tasks/task_files.h"

#include <array>

#include "datasets/pretraining/counter_random.h"
#include "datasets/tasks/squad_questions.h"
#include "datasets/tasks/table_examples.h"
#include "datasets/tasks/tagged_sentences.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

constexpr std::array kGlueTestNames{"dev.tsv", "dev_matched.tsv"};

struct TaskFiles {
    std::vector<fs::path> training;
    std::vector<fs::path> heldOut;
};

bool isThere(const fs::path& file)
{
    std::error_code ignored;
    return fs::is_regular_file(file, ignored);
}

Status addGlueFolder(const fs::path& folder, bool wantsTest, TaskFiles& files)
{
    if (!isThere(folder / "train.tsv"))
        return badInput(folder.string() + " has no train.tsv",
                        "pass files, or the folder of one of GLUE's tasks");
    files.training.push_back(folder / "train.tsv");
    for (const char* name : kGlueTestNames) {
        if (wantsTest && isThere(folder / name)) {
            files.heldOut.push_back(folder / name);
            break;
        }
    }
    return {};
}

Result<TaskFiles> filesOf(const PrepareOptions& options)
{
    TaskFiles files{{}, options.task.heldOut};
    for (const fs::path& path : options.dumps) {
        std::error_code ignored;
        if (fs::is_directory(path, ignored))
            TRAINYARD_TRY_STATUS(addGlueFolder(path, options.task.heldOut.empty(), files));
        else
            files.training.push_back(path);
    }
    return files;
}

Result<TaskExamples> readAll(const std::vector<fs::path>& files, const TaskOptions& options)
{
    TaskExamples examples;
    for (const fs::path& file : files) {
        switch (options.kind) {
        case TaskKind::Tag:
            TRAINYARD_TRY_STATUS(readTaggedSentences(file, options, examples));
            break;
        case TaskKind::Answer:
            TRAINYARD_TRY_STATUS(readSquadQuestions(file, examples));
            break;
        default:
            TRAINYARD_TRY_STATUS(readTableExamples(file, options, examples));
        }
    }
    return examples;
}

/// Moves a share of the examples to the other side.
void holdOut(SplitExamples& split, double share, std::uint64_t seed)
{
    split.heldOut.files = split.training.files;
    split.heldOut.labelColumn = split.training.labelColumn;
    std::vector<TaskExample> training;
    for (TaskExample& example : split.training.examples) {
        CounterRandom random(seed, RandomStream::Split, static_cast<std::uint32_t>(example.group),
                             static_cast<std::uint32_t>(example.group >> 32));
        (random.uniform() < share ? split.heldOut.examples : training).push_back(std::move(example));
    }
    split.training.examples = std::move(training);
}

} // namespace

Result<SplitExamples> readTaskFiles(const PrepareOptions& options)
{
    TRAINYARD_TRY(const TaskFiles files, filesOf(options));
    SplitExamples split;
    TRAINYARD_TRY(split.training, readAll(files.training, options.task));
    if (files.heldOut.empty()) {
        holdOut(split, options.testFraction, options.instances.seed);
    } else {
        TRAINYARD_TRY(split.heldOut, readAll(files.heldOut, options.task));
    }
    if (split.training.examples.empty())
        return badInput("all examples are held out, and none remains for training", "lower --test-fraction, or pass more examples");
    return split;
}

} // namespace trainyard
