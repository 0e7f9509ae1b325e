#include "tests/auto/training/train_as_threads.h"

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "engine/comm/process_group.h"
#include "engine/memory/accounting_allocator.h"
#include "engine/training/step_journal.h"
#include "engine/training/trainer.h"

namespace trainyard {

Status trainAsThreads(const std::filesystem::path& directory, const RunSpec& spec, TrainOptions options)
{
    Status first;
    std::atomic<int> different = 0;
    std::vector<std::string> texts(static_cast<std::size_t>(spec.layout.worldSize()));
    runRanksAsThreads(
        spec.layout.worldSize(),
        [&](GroupMaker& maker) {
            const auto world = maker.makeWorld();
            std::unique_ptr<StepJournal> journal;
            if (world->isFirst())
                journal = StepJournal::open(directory / "journal", options.attempt).value();
            const auto wrapped = options.wrapMaker ? options.wrapMaker(maker) : nullptr;
            const DeviceFigures figures =
                options.deviceFigures ? options.deviceFigures(*wrapped) : DeviceFigures();
            const TrainerSetup setup{
                .spec = spec,
                .directory = RunDirectory(options.directories.empty()
                                              ? directory
                                              : options.directories[std::size_t(maker.rank().value)]),
                .maker = wrapped ? *wrapped : maker,
                .world = *world,
                .memory = AccountingAllocator::install(),
                .journal = journal.get(),
                .lastStep = options.lastStep,
                .device = options.device,
                .deviceMemory = figures.memory,
                .deviceTimer = figures.timer};
            auto trainer = Trainer::create(setup);
            const Status status = trainer.ok() ? (*trainer)->run() : Status(trainer.error());
            texts[static_cast<std::size_t>(maker.rank().value)] = status.ok() ? "" : status.error().text();
            if (world->isFirst())
                first = status;
        },
        options.decorate);
    for (const std::string& text : texts)
        different += text != texts.front();
    return different == 0 ? first : failed("the ranks were told different things");
}

} // namespace trainyard
