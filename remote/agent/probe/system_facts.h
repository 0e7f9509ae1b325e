#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace trainyard::agent {

std::string osName();   ///< "Debian GNU/Linux 12 (bookworm)"
std::string userName(); ///< from the environment; empty when unknown
/// What a command over SSH meets before it begins: {path, noise: bytes that the login shell's start-up files
/// print, ms: how long they take}. Null for a session that did not come over SSH.
nlohmann::json shellFacts();
std::string selinuxDomain(); ///< "unconfined_u:unconfined_r:unconfined_t:s0"; empty without SELinux
std::string selinuxMode();   ///< "enforcing", "permissive"; empty without SELinux

nlohmann::json cpuFacts();    ///< {model, cores, flags, narrow_products {bfloat16, float16}}
nlohmann::json interfaces();  ///< [{name, address, prefix, speed, mtu}], IPv4, up, without loopback
nlohmann::json logindFacts(); ///< {kill_user_processes, linger, scope}, null where unknown

} // namespace trainyard::agent
