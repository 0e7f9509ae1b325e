#include "datasets/job/progress_sink.h"

#include <algorithm>
#include <set>
#include <string>
#include <unistd.h>

#include <fmt/format.h>

#include "engine/base/standard_streams.h"
#include "engine/base/units.h"

namespace trainyard {

namespace {

class JournalSink final : public ProgressSink {
public:
    explicit JournalSink(JournalWriter journal) : m_journal(std::move(journal)) {}

    void show(const std::vector<ProgressRecord>& stages) override
    {
        for (const ProgressRecord& stage : stages)
            append(stage);
    }
    void event(const EventRecord& event) override { append(event); }
    void finish(const EventRecord& lastWord) override
    {
        append(lastWord);
        report(m_journal.sync());
    }

private:
    void append(const Payload& payload)
    {
        const auto appended = m_journal.append(payload);
        if (!appended.ok())
            report(appended.error());
    }
    /// A journal that cannot be written must not stop the work; it is said once.
    void report(const Status& status)
    {
        if (status.ok() || m_reported)
            return;
        m_reported = true;
        printError("trainyard-prepare", status.error().in("progress is no longer recorded"));
    }

    JournalWriter m_journal;
    bool m_reported = false;
};

bool isFinished(const ProgressRecord& stage)
{
    return stage.total > 0 && stage.done >= stage.total;
}

bool isRunning(const ProgressRecord& stage)
{
    return stage.stage != kMemoryStage && stage.stage != kDiskStage && !isFinished(stage);
}

std::string memoryIn(const std::vector<ProgressRecord>& stages)
{
    for (const ProgressRecord& stage : stages) {
        if (stage.stage == kMemoryStage)
            return ", " + formatBytes(stage.done) + " of memory";
    }
    return {};
}

class TerminalSink final : public ProgressSink {
public:
    void show(const std::vector<ProgressRecord>& stages) override
    {
        for (const ProgressRecord& stage : stages) {
            if (isFinished(stage) && m_finished.insert(stage.stage).second)
                printLine(progressText(stage));
        }
        const auto running = std::find_if(stages.begin(), stages.end(), isRunning);
        if (m_terminal && running != stages.end())
            overwrite(progressText(*running) + memoryIn(stages));
    }
    void event(const EventRecord& event) override
    {
        printLine(fmt::format("{}: {}", nameOf(event.severity), event.message));
    }
    void finish(const EventRecord&) override { overwrite({}); }

private:
    void printLine(const std::string& text)
    {
        overwrite({});
        printNotice(text + '\n');
    }
    void overwrite(const std::string& text)
    {
        if (m_terminal)
            printNotice("\r\033[K" + text);
    }

    bool m_terminal = ::isatty(STDERR_FILENO) == 1;
    std::set<std::string> m_finished;
};

} // namespace

std::unique_ptr<ProgressSink> journalSink(JournalWriter journal)
{
    return std::make_unique<JournalSink>(std::move(journal));
}

std::unique_ptr<ProgressSink> terminalSink()
{
    return std::make_unique<TerminalSink>();
}

} // namespace trainyard
