#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace trainyard::agent {

std::string osName();   ///< "Debian GNU/Linux 12 (bookworm)"
std::string userName(); ///< from the environment; empty when unknown
/// Describes the login shell that a command over SSH passes through: {path, noise: bytes printed by its
/// start-up files, ms: their duration}. Null for a session that did not come over SSH.
nlohmann::json shellFacts();
std::string selinuxDomain(); ///< "unconfined_u:unconfined_r:unconfined_t:s0"; empty without SELinux
std::string selinuxMode();   ///< "enforcing", "permissive"; empty without SELinux

nlohmann::json cpuFacts();    ///< {model, cores, flags, narrow_products {bfloat16, float16}}
nlohmann::json interfaces();  ///< [{name, address, prefix, speed, mtu}], IPv4, up, without loopback
nlohmann::json logindFacts(); ///< {kill_user_processes, linger, scope}, null where unknown

} // namespace trainyard::agent
