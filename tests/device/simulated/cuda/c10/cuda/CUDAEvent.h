#pragma once

#include <c10/cuda/CUDAStream.h>

namespace c10::cuda {

class CUDAEvent {
public:
    void record() { record(getCurrentCUDAStream()); }
    void record(const CUDAStream& stream)
    {
        m_moment = trainyard::SimulatedDevice::current().record(stream.stream().number);
    }
    void block(const CUDAStream& stream)
    {
        trainyard::SimulatedDevice::current().wait(stream.stream().number, m_moment);
    }
    bool query() const { return trainyard::SimulatedDevice::query(m_moment); }
    void synchronize() const { trainyard::SimulatedDevice::current().synchronize(m_moment); }

private:
    trainyard::SimulatedEvent m_moment;
};

} // namespace c10::cuda
