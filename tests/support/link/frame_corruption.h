#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace trainyard::link {

/// Flips one bit of the TCP or UDP payload of an Ethernet frame with an IPv4 packet, and sets the TCP or UDP
/// checksum right again, so that the receiver's network stack takes the data for good: what a broken router
/// does. `bit` (modulo the payload's bits) says which. false = no such payload; the frame is as it was.
bool flipPayloadBit(std::span<std::uint8_t> frame, std::uint64_t bit);

} // namespace trainyard::link
