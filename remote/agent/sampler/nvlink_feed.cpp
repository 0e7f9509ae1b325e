#include "remote/agent/sampler/nvlink_feed.h"

#include <array>
#include <fcntl.h>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/parsed_number.h"
#include "engine/base/process.h"
#include "remote/agent/sampler/nvidia_smi.h"

namespace trainyard::agent {

namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::size_t kMaxText = 256 * kKiB; ///< of 16 GPUs with 18 links each: 50 KiB

/// The number behind the last colon: of "Link 3: Data Tx: 123 KiB" 123.
std::uint64_t valueIn(const std::string& line)
{
    std::istringstream words(line.substr(line.rfind(':') + 1));
    std::string number;
    words >> number;
    return parsedNumber<std::uint64_t>(number).value_or(0);
}

bool contains(const std::string& line, std::string_view words)
{
    return line.find(words) != std::string::npos;
}

void addLine(const std::string& line, LinkCounters& counters)
{
    if (contains(line, "Data Tx:"))
        counters.sent += valueIn(line) * kKiB;
    else if (contains(line, "Data Rx:"))
        counters.received += valueIn(line) * kKiB;
    else if (contains(line, "Replay Errors:") || contains(line, "Recovery Errors:") ||
             contains(line, "CRC Errors:")) // corrected symbols, which newer drivers tell too, are normal
        counters.errors += valueIn(line);
}

} // namespace

std::map<int, LinkCounters> parseLinkCounters(std::string_view text)
{
    std::map<int, LinkCounters> counters;
    std::istringstream lines{std::string(text)};
    std::optional<int> gpu;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("GPU "))
            gpu = parsedNumber<int>(std::string_view(line).substr(4, line.find(':') - 4));
        else if (gpu && contains(line, "Link "))
            addLine(line, counters[*gpu]);
    }
    return counters;
}

NvlinkFeed::NvlinkFeed(std::chrono::milliseconds interval) : m_interval(interval), m_program(nvidiaSmi()) {}

NvlinkFeed::~NvlinkFeed()
{
    if (m_process > 0)
        killGroup(m_process);
}

void NvlinkFeed::ask()
{
    auto pipe = makePipe(O_NONBLOCK);
    if (!pipe.ok())
        return;
    ProcessSpec spec;
    const bool traffic = m_question == Question::Traffic;
    spec.arguments = {m_program, "nvlink"};
    if (traffic)
        spec.arguments.insert(spec.arguments.end(), {"--getthroughput", "d"});
    else
        spec.arguments.emplace_back("--errorcounters");
    spec.environment = environmentWithout("TRAINYARD_RUN");
    spec.output = pipe->write.get();
    spec.endsWithParent = true;
    const auto started = startProcess(spec);
    if (!started.ok())
        return;
    m_process = *started;
    m_output = std::move(pipe->read);
    m_text.clear();
}

void NvlinkFeed::look()
{
    if (m_process > 0) {
        std::array<char, 4096> buffer;
        ssize_t got = 0;
        while ((got = ::read(m_output.get(), buffer.data(), buffer.size())) > 0 && m_text.size() < kMaxText)
            m_text.append(buffer.data(), static_cast<std::size_t>(got));
        if (got == 0 || m_text.size() >= kMaxText)
            finish();
        return;
    }
    if (m_program.empty() || SteadyClock::now() < m_next)
        return;
    m_next = SteadyClock::now() + m_interval;
    ask();
}

/// Both questions follow each other; then there is a pause.
void NvlinkFeed::finish()
{
    killGroup(m_process); // collects it; it has closed its output
    m_process = 0;
    const auto counters = parseLinkCounters(m_text);
    if (counters.empty() && m_traffic.empty()) {
        m_program.clear(); // no links
        return;
    }
    if (m_question == Question::Traffic) {
        takeTraffic(counters);
        m_question = Question::Errors;
        ask();
        return;
    }
    for (const auto& [gpu, counter] : counters)
        m_newest[gpu].linkErrors = counter.errors;
    m_question = Question::Traffic;
}

void NvlinkFeed::takeTraffic(const std::map<int, LinkCounters>& counters)
{
    const auto now = SteadyClock::now();
    const double seconds = std::chrono::duration<double>(now - m_measured).count();
    for (const auto& [gpu, counter] : counters) {
        const auto before = m_traffic.find(gpu);
        if (before == m_traffic.end() || counter.sent < before->second.sent ||
            counter.received < before->second.received) // the first ones, or somebody has set them to 0
            continue;
        m_newest[gpu].linkSent = static_cast<double>(counter.sent - before->second.sent) / seconds;
        m_newest[gpu].linkReceived =
            static_cast<double>(counter.received - before->second.received) / seconds;
    }
    m_traffic = counters;
    m_measured = now;
}

void NvlinkFeed::addTo(DeviceSample& sample) const
{
    const auto newest = m_newest.find(sample.device);
    if (newest == m_newest.end())
        return;
    sample.health.linkSent = newest->second.linkSent;
    sample.health.linkReceived = newest->second.linkReceived;
    sample.health.linkErrors = newest->second.linkErrors;
}

} // namespace trainyard::agent
