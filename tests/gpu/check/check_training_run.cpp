#include "tests/gpu/check/check_training_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include "engine/memory/accounting_allocator.h"
#include "engine/training/step_journal.h"
#include "engine/training/trainer.h"
#include "tests/gpu/check/alone_maker.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

Status trainWith(TrainerSetup setup, const CheckRunOptions& options)
{
    std::unique_ptr<StepJournal> journal;
    if (setup.world.isFirst()) {
        TRAINYARD_TRY(journal, StepJournal::open(setup.directory.journals(), options.attempt));
    }
    setup.journal = journal.get();
    setup.lastStep = options.lastStep;
    setup.savesCheckpoints = options.savesCheckpoints;
    setup.afterStep = options.afterStep;
    TRAINYARD_TRY(const auto trainer, Trainer::create(setup));
    return trainer->run();
}

} // namespace

CheckFolder::CheckFolder(ProcessGroup& world)
    : m_folder(world.broadcastText(
          (fs::temp_directory_path() / fmt::format("trainyard-gpu-check-{}", ::getpid())).string()))
    , m_isOwner(world.isFirst())
{
}

CheckFolder::~CheckFolder()
{
    std::error_code ignored;
    if (m_isOwner)
        fs::remove_all(m_folder, ignored);
}

Status trainOnDevice(CheckRank& rank, const fs::path& folder, const RunSpec& spec,
                     const CheckRunOptions& options)
{
    return trainWith({.spec = spec,
                      .directory = RunDirectory(folder),
                      .maker = rank.maker(),
                      .world = rank.world(),
                      .memory = AccountingAllocator::install(),
                      .device = rank.device(),
                      .deviceMemory = rank.memory()},
                     options);
}

Status trainOnProcessor(const fs::path& folder, const RunSpec& spec, const CheckRunOptions& options)
{
    AloneMaker maker;
    const auto world = maker.makeWorld();
    return trainWith({.spec = spec,
                      .directory = RunDirectory(folder),
                      .maker = maker,
                      .world = *world,
                      .memory = AccountingAllocator::install()},
                     options);
}

} // namespace trainyard
