#include "engine/worker/answer_output.h"

#include <algorithm>
#include <unistd.h>
#include <utility>

#include "engine/base/file.h"
#include "engine/base/standard_streams.h"
#include "engine/base/utf8.h"

namespace trainyard {

namespace {

constexpr const char* kStream = "prepare"; // of every job that is not a training
constexpr const char* kKind = "answer";
constexpr const char* kClearLine = "\r\033[K";
constexpr std::size_t kPieceBytes = 8 * 1024; // clients cut long messages

} // namespace

Result<AnswerOutput> AnswerOutput::open(const std::filesystem::path& runDirectory)
{
    AnswerOutput output;
    if (!runDirectory.empty()) {
        TRAINYARD_TRY(output.m_journal, JournalWriter::open(runDirectory / "journal", kStream, 1));
    }
    return output;
}

void AnswerOutput::print(std::string_view text)
{
    endProgress();
    if (!m_journal)
        return printOutput(text);
    while (!text.empty()) {
        const std::size_t whole = validUtf8Prefix(text.substr(0, kPieceBytes));
        const std::size_t length = whole > 0 ? whole : std::min(text.size(), kPieceBytes);
        append(Severity::Info, text.substr(0, length));
        text.remove_prefix(length);
    }
}

void AnswerOutput::remark(const std::string& text)
{
    endProgress();
    if (m_journal)
        append(Severity::Warning, text);
    else
        printNotice(text + '\n');
}

bool AnswerOutput::isWanted() const
{
    return m_journal ? m_written.ok() : outputStatus().ok();
}

void AnswerOutput::fail(const Error& error)
{
    if (m_journal)
        append(Severity::Error, error.text());
}

void AnswerOutput::report(const ProgressRecord& progress)
{
    if (m_journal)
        return append(progress);
    if (::isatty(STDERR_FILENO) != 1)
        return;
    printNotice(kClearLine + progressText(progress));
    m_showsProgress = true;
}

void AnswerOutput::endProgress()
{
    if (std::exchange(m_showsProgress, false))
        printNotice(kClearLine);
}

void AnswerOutput::append(Severity severity, std::string_view text)
{
    EventRecord event;
    event.severity = severity;
    event.kind = kKind;
    event.message = text;
    append(event);
}

void AnswerOutput::append(const Payload& payload)
{
    const auto appended = m_journal->append(payload);
    if (!appended.ok() && m_written.ok())
        m_written = appended.error();
}

Status answer(const std::filesystem::path& runDirectory, const std::function<Status(AnswerOutput&)>& work)
{
    TRAINYARD_TRY(AnswerOutput output, AnswerOutput::open(runDirectory));
    Status status = work(output);
    output.endProgress();
    if (status.ok())
        status = output.status();
    if (!status.ok())
        output.fail(status.error());
    return status;
}

std::filesystem::path modelOfJob(const std::string& model, const std::filesystem::path& runDirectory)
{
    const bool isId = !runDirectory.empty() && isPlainName(model);
    return isId ? runDirectory.parent_path() / model : std::filesystem::path(model);
}

} // namespace trainyard
