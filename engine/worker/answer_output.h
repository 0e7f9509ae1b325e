#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/records/journal.h"

namespace trainyard {

/// Where a command's answer goes: standard output, or the journal of the job that it is, from which the
/// client takes it piece by piece. One thread.
class AnswerOutput {
public:
    /// `runDirectory`: of the job; empty: standard output.
    static Result<AnswerOutput> open(const std::filesystem::path& runDirectory);

    void print(std::string_view text);
    /// Something about the answer that is no part of it; one line.
    void remark(const std::string& text);
    /// How far the work is: for the client of a job, else in a line of the terminal, which the next one
    /// replaces; no effect where standard error is none.
    void report(const ProgressRecord& progress);
    /// Removes that line.
    void endProgress();
    /// False once nobody gets any more of it.
    bool isWanted() const;
    /// Failed, with the reason, when the client of a job did not get all of it. Of lost standard output
    /// exitStatusAfterOutput() tells.
    Status status() const { return m_written; }
    /// Tells the client of a job why it failed; without a job the program itself does.
    void fail(const Error& error);

private:
    void append(Severity severity, std::string_view text);
    void append(const Payload& payload);

    std::optional<JournalWriter> m_journal; // nullopt: standard output
    bool m_showsProgress = false;
    Status m_written;
};

/// Opens the output of a command and does its work. Tells the client of a job why it failed, and fails when
/// the client did not get all of the answer.
Status answer(const std::filesystem::path& runDirectory, const std::function<Status(AnswerOutput&)>& work);

/// Where the model is that a command names: a job knows a run of its host by its id, because their
/// directories are side by side. Other names are paths.
std::filesystem::path modelOfJob(const std::string& model, const std::filesystem::path& runDirectory);

} // namespace trainyard
