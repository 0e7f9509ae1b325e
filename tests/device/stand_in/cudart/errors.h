#pragma once

#include <driver_types.h>

namespace trainyard::stand_in {

/// The error, which is now the calling thread's last one.
cudaError_t failedWith(cudaError_t error);

/// What every call on a device that is lost returns; cudaSuccess while it is not. It is lost from the fault
/// lost@event on.
cudaError_t lostWith();
void loseDevice();

} // namespace trainyard::stand_in

/// Begins a function that a lost device refuses.
#define TRAINYARD_STAND_IN_ALIVE()                                                                           \
    if (const cudaError_t lost = trainyard::stand_in::lostWith(); lost != cudaSuccess)                       \
    return trainyard::stand_in::failedWith(lost)
