#include "remote/agent/sampler/gpu_feed.h"

#include <array>
#include <fcntl.h>
#include <unistd.h>

#include "engine/base/process.h"
#include "remote/agent/sampler/nvidia_smi.h"

namespace trainyard::agent {

GpuFeed::GpuFeed(std::chrono::milliseconds interval) : m_interval(interval)
{
    start();
}

void GpuFeed::start()
{
    auto pipe = makePipe(O_NONBLOCK);
    const std::string program = nvidiaSmi();
    if (program.empty() || !pipe.ok())
        return;
    m_output = std::move(pipe->read);
    ProcessSpec spec;
    spec.arguments = {program, "--query-gpu=" + gpuSampleFields()[m_fields], "--format=csv,noheader,nounits",
                      "--loop-ms=" + std::to_string(m_interval.count())};
    spec.environment = environmentWithout("TRAINYARD_RUN");
    spec.output = pipe->write.get();
    spec.endsWithParent = true;
    if (const auto started = startProcess(spec); started.ok())
        m_process = *started;
}

GpuFeed::~GpuFeed()
{
    if (m_process > 0)
        killGroup(m_process);
}

/// False at the end of the program's output.
bool GpuFeed::readMore()
{
    std::array<char, 4096> buffer;
    ssize_t got = -1;
    while (m_output.valid() && (got = ::read(m_output.get(), buffer.data(), buffer.size())) > 0)
        m_pending.append(buffer.data(), static_cast<std::size_t>(got));
    return got != 0;
}

std::vector<DeviceSample> GpuFeed::take()
{
    const bool goesOn = readMore();
    std::vector<DeviceSample> samples;
    for (auto end = m_pending.find('\n'); end != std::string::npos; end = m_pending.find('\n')) {
        if (const auto sample = parseGpuSample(m_pending.substr(0, end)))
            samples.push_back(*sample);
        m_pending.erase(0, end + 1);
    }
    m_anyCame = m_anyCame || !samples.empty();
    if (!goesOn && !m_anyCame && m_process > 0 && m_fields + 1 < gpuSampleFields().size()) {
        killGroup(m_process);
        m_process = 0;
        ++m_fields;
        start();
    }
    return samples;
}

} // namespace trainyard::agent
