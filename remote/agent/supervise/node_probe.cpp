#include "remote/agent/supervise/node_probe.h"

#include <algorithm>
#include <csignal>
#include <fcntl.h>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/base/process.h"
#include "remote/agent/host/shell_words.h"

namespace trainyard::agent {

namespace {

constexpr std::chrono::seconds kPatience{15};
constexpr std::size_t kMaxOutputLength = 8192; ///< bytes of what a node prints that are kept
constexpr std::size_t kMaxReasonLength = 300;
constexpr int kNotReached = 255; ///< exit status of ssh

/// Explains a failed login that will not succeed by itself, with the fix; empty for other failures.
std::string refusalIn(const std::string& said)
{
    constexpr std::pair<std::string_view, std::string_view> kFixes[] = {
        {"Host key verification failed", "compare its key, and add it to known_hosts on the head node"},
        {"Permission denied (publickey", "let the head node log in there with a key without a passphrase"}};
    for (const auto& [refusal, fix] : kFixes) {
        if (said.find(refusal) != std::string::npos)
            return fmt::format(": {} ({})", lastWords(said), fix);
    }
    return {};
}

} // namespace

NodeProbe::Question NodeProbe::ask(const std::string& host, std::vector<std::string> words)
{
    auto pipe = makePipe();
    if (!pipe.ok())
        return {host};
    ::fcntl(pipe->read.get(), F_SETFL, O_NONBLOCK); // only our end; the shell's stays blocking
    Question question{host, 0, std::move(pipe->read)};
    const auto child = startProcess(
        {std::move(words), environmentWithout({}), {}, pipe->write.get(), /*endsWithParent=*/true});
    question.child = child.ok() ? *child : 0;
    return question;
}

void NodeProbe::start(const std::vector<std::string>& hosts, const std::string& rsh,
                      const std::vector<std::string>& command)
{
    m_questions.clear();
    for (const std::string& host : hosts)
        askThere(host, rsh, command);
    m_deadline = std::chrono::steady_clock::now() + kPatience;
    m_underWay = true;
}

void NodeProbe::askThere(const std::string& host, const std::string& rsh,
                         const std::vector<std::string>& command)
{
    std::vector<std::string> there = wordsOf(rsh);
    there.push_back(host);
    there.insert(there.end(), command.begin(), command.end());
    m_questions.push_back(ask(host, std::move(there)));
}

void NodeProbe::askHere(const std::string& host, const std::vector<std::string>& command)
{
    m_questions.push_back(ask(host, command));
}

void NodeProbe::childEnded(pid_t child, int waitStatus)
{
    for (Question& question : m_questions) {
        if (question.child != child)
            continue;
        question.child = 0;
        if (WIFEXITED(waitStatus) && WEXITSTATUS(waitStatus) != kNotReached)
            question.status = WEXITSTATUS(waitStatus);
    }
}

/// Reads what is in the pipe, so that a node with much output is not blocked.
void NodeProbe::listen(Question& question)
{
    char words[kMaxOutputLength];
    for (ssize_t got = 0; (got = ::read(question.words.get(), words, sizeof words)) > 0;) {
        question.said.append(words, static_cast<std::size_t>(got));
        if (question.said.size() > kMaxOutputLength)
            question.said.erase(0, question.said.size() - kMaxOutputLength);
    }
}

bool NodeProbe::isOver()
{
    std::ranges::for_each(m_questions, listen);
    const bool waits = std::ranges::any_of(m_questions, [](const Question& one) { return one.child > 0; });
    if (waits && std::chrono::steady_clock::now() < m_deadline)
        return false;
    for (Question& question : m_questions) {
        if (question.child > 0)
            ::kill(-std::exchange(question.child, 0), SIGKILL);
    }
    m_underWay = false;
    return true;
}

std::vector<std::string> NodeProbe::hostsThatAre(bool able) const
{
    std::vector<std::string> hosts;
    for (const Question& question : m_questions) {
        if ((question.status == 0) == able)
            hosts.push_back(question.host);
    }
    return hosts;
}

std::string NodeProbe::trouble(const Question& question)
{
    if (!question.status)
        return "no answer from " + question.host + refusalIn(question.said);
    return fmt::format("{} cannot run ranks: {}", question.host, lastWords(question.said));
}

std::string NodeProbe::troublesOf(bool (*concerns)(const Question&)) const
{
    std::vector<std::string> sentences;
    for (const Question& question : m_questions) {
        if (concerns(question))
            sentences.push_back(trouble(question));
    }
    return fmt::format("{}", fmt::join(sentences, "; "));
}

std::string NodeProbe::troubles() const
{
    return troublesOf([](const Question& question) { return question.status != 0; });
}

std::string NodeProbe::silence() const
{
    return troublesOf([](const Question& question) { return !question.status; });
}

std::vector<std::pair<std::string, std::string>> NodeProbe::refusals() const
{
    std::vector<std::pair<std::string, std::string>> all;
    for (const Question& question : m_questions) {
        if (question.status && *question.status != 0)
            all.emplace_back(question.host, lastWords(question.said));
    }
    return all;
}

std::string lastWords(const std::string& text)
{
    constexpr std::string_view kAgent = "trainyard-agent: ";
    std::istringstream lines(text);
    std::string last;
    for (std::string line; std::getline(lines, line);) {
        if (!line.empty())
            last = line;
    }
    if (last.starts_with(kAgent))
        last.erase(0, kAgent.size());
    return last.empty() ? "it gives no reason" : last.substr(0, kMaxReasonLength);
}

} // namespace trainyard::agent
