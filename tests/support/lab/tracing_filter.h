#pragma once

namespace trainyard::lab {

/// From here on ptrace() and reading and writing the memory of other processes fail with EPERM, in this
/// process and all that it starts, as under the seccomp profile of a container. Needs root. May be called
/// between fork and exec; returns false when the kernel refuses.
bool denyTracing();

} // namespace trainyard::lab
