#include "engine/base/check.h"
#include "remote/ssh/known_hosts.h"
#include "tests/support/fuzz/scratch_folder.h"

using namespace trainyard;

/// A known_hosts file. A key whose bytes are not in it is never trusted.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const ssh::HostKey stranger{std::string("\0\0\0\x0bssh-ed25519\0\0\0\x20", 19) + std::string(32, '\x7f')};
    ssh::KnownHosts hosts;
    hosts.addText("known_hosts", bytesOf(data, size));
    for (const char* name : {"gpu", "[gpu]:2222", "10.0.0.3"}) {
        const ssh::KeyAnswer answer = hosts.check(name, stranger);
        const bool there = bytesOf(data, size).find("f39/f39/") != std::string_view::npos; // 0x7f in base64
        TRAINYARD_CHECK(there || answer.verdict != ssh::KeyVerdict::Trusted);
        [[maybe_unused]] const auto types = hosts.knownTypes(name);
    }
    return 0;
}
