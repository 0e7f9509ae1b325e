#include "remote/agent/sampler/gpu_feed.h"

#include <array>
#include <fcntl.h>
#include <unistd.h>

#include "engine/base/process.h"
#include "remote/agent/sampler/nvidia_smi.h"

namespace trainyard::agent {

GpuFeed::GpuFeed(std::chrono::milliseconds interval)
{
    auto pipe = makePipe(O_NONBLOCK);
    const std::string program = nvidiaSmi();
    if (program.empty() || !pipe.ok())
        return;
    m_output = std::move(pipe->read);
    ProcessSpec spec;
    spec.arguments = {program, std::string("--query-gpu=") + kGpuSampleFields,
                      "--format=csv,noheader,nounits", "--loop-ms=" + std::to_string(interval.count())};
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

std::vector<DeviceSample> GpuFeed::take()
{
    std::array<char, 4096> buffer;
    for (ssize_t got = 0;
         m_output.valid() && (got = ::read(m_output.get(), buffer.data(), buffer.size())) > 0;)
        m_pending.append(buffer.data(), static_cast<std::size_t>(got));
    std::vector<DeviceSample> samples;
    for (auto end = m_pending.find('\n'); end != std::string::npos; end = m_pending.find('\n')) {
        if (const auto sample = parseGpuSample(m_pending.substr(0, end)))
            samples.push_back(*sample);
        m_pending.erase(0, end + 1);
    }
    return samples;
}

} // namespace trainyard::agent
