#pragma once

namespace trainyard::agent {

/// Returns true when a program on this machine could listen on the TCP port, on all addresses of both
/// families of IP that the machine has.
bool isFreePort(int port);

} // namespace trainyard::agent
