// libcudart's functions on streams and events.
#include <memory>

#include <cuda_runtime_api.h>

#include "tests/device/stand_in/cudart/device.h"
#include "tests/device/stand_in/cudart/errors.h"
#include "tests/device/stand_in/cudart/faults.h"
#include "tests/device/stand_in/cudart/findings.h"

using namespace trainyard::stand_in;

namespace {

/// Null until it is recorded for the first time: an event that never was has come.
struct Event {
    std::shared_ptr<Moment> moment;
    AccessOrder::Clock before;
};

Event& eventOf(cudaEvent_t handle)
{
    return *reinterpret_cast<Event*>(handle);
}

cudaStream_t handleOf(Stream* stream)
{
    return reinterpret_cast<cudaStream_t>(stream);
}

} // namespace

extern "C" {

// The default stream waits for streams that are not cudaStreamNonBlocking, and they for it. LibTorch makes
// none of those.
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int)
{
    TRAINYARD_STAND_IN_ALIVE();
    if (flags != cudaStreamNonBlocking)
        lacks("streams that wait for the default stream");
    *stream = handleOf(device().makeStream());
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags)
{
    return cudaStreamCreateWithPriority(stream, flags, 0);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    device().endStream(&device().streamOf(stream));
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    TRAINYARD_STAND_IN_ALIVE();
    device().finish(device().streamOf(stream));
    return cudaSuccess;
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    TRAINYARD_STAND_IN_ALIVE();
    Stream& asked = device().streamOf(stream);
    if (!asked.isIdle())
        return cudaErrorNotReady;
    device().finish(asked);
    return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned)
{
    TRAINYARD_STAND_IN_ALIVE();
    Stream& waiting = device().streamOf(stream);
    device().order.wait(waiting.number(), eventOf(event).before);
    if (const auto moment = eventOf(event).moment)
        waiting.add([moment] { moment->await(); });
    return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus* status)
{
    *status = cudaStreamCaptureStatusNone;
    return cudaSuccess;
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t, cudaStreamCaptureStatus* status, unsigned long long*,
                                     cudaGraph_t*, const cudaGraphNode_t**, const cudaGraphEdgeData**,
                                     size_t*)
{
    *status = cudaStreamCaptureStatusNone;
    return cudaSuccess;
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode*)
{
    return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned)
{
    TRAINYARD_STAND_IN_ALIVE();
    *event = reinterpret_cast<cudaEvent_t>(new Event);
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t* event)
{
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    delete &eventOf(event);
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    if (faultAt("event") == "lost")
        loseDevice();
    TRAINYARD_STAND_IN_ALIVE();
    Stream& recording = device().streamOf(stream);
    eventOf(event) = {std::make_shared<Moment>(), device().order.record(recording.number())};
    recording.add([moment = eventOf(event).moment] { moment->come(); });
    return cudaSuccess;
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned)
{
    return cudaEventRecord(event, stream);
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    TRAINYARD_STAND_IN_ALIVE();
    const Event& asked = eventOf(event);
    if (asked.moment && !asked.moment->hasCome())
        return failedWith(cudaErrorNotReady);
    device().order.hostWaited(asked.before);
    return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    TRAINYARD_STAND_IN_ALIVE();
    const Event& asked = eventOf(event);
    if (asked.moment)
        asked.moment->await();
    device().order.hostWaited(asked.before);
    return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end)
{
    TRAINYARD_STAND_IN_ALIVE();
    for (const cudaEvent_t event : {start, end}) {
        const auto moment = eventOf(event).moment;
        if (!moment)
            return failedWith(cudaErrorInvalidResourceHandle);
        if (!moment->hasCome())
            return failedWith(cudaErrorNotReady);
    }
    *milliseconds = eventOf(end).moment->millisecondsSince(*eventOf(start).moment);
    return cudaSuccess;
}
}
