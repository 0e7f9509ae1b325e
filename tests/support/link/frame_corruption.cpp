#include "tests/support/link/frame_corruption.h"

#include <optional>

namespace trainyard::link {

namespace {

constexpr std::size_t kEthernetHeader = 14;
constexpr std::uint8_t kTcp = 6, kUdp = 17;

std::size_t word(std::span<const std::uint8_t> bytes, std::size_t at)
{
    return std::size_t{bytes[at]} << 8 | bytes[at + 1];
}

/// Where the parts of a frame lie, as offsets into it.
struct Segment {
    std::size_t ip;
    std::size_t begin; ///< of the TCP or UDP header
    std::size_t payload;
    std::size_t end; ///< without Ethernet's padding
    std::size_t checksum;
    std::uint8_t protocol;
};

std::optional<std::size_t> payloadOf(std::span<const std::uint8_t> frame, const Segment& segment)
{
    if (segment.protocol == kUdp)
        return segment.begin + 8;
    if (segment.begin + 20 > segment.end)
        return {};
    return segment.begin + std::size_t{frame[segment.begin + 12]} / 16 * 4;
}

/// Nothing for anything but a whole TCP or UDP segment in one IPv4 packet.
std::optional<Segment> segmentOf(std::span<const std::uint8_t> frame)
{
    const std::size_t ip = kEthernetHeader;
    if (frame.size() < ip + 20 || word(frame, 12) != 0x0800 || frame[ip] >> 4 != 4)
        return {};
    const bool fragment = (word(frame, ip + 6) & 0x3fff) != 0; // more fragments, or not the first
    Segment segment{ip, ip + std::size_t{frame[ip]} % 16 * 4, 0, ip + word(frame, ip + 2), 0, frame[ip + 9]};
    if (fragment || segment.end > frame.size() || segment.begin + 8 > segment.end)
        return {};
    if (segment.protocol != kTcp && segment.protocol != kUdp)
        return {};
    const auto payload = payloadOf(frame, segment);
    if (!payload || *payload > segment.end)
        return {};
    segment.payload = *payload;
    segment.checksum = segment.begin + (segment.protocol == kTcp ? 16 : 6);
    return segment;
}

std::uint16_t checksumOf(std::span<const std::uint8_t> frame, const Segment& segment)
{
    const std::size_t length = segment.end - segment.begin;
    std::size_t sum = segment.protocol + length;
    for (std::size_t at = segment.ip + 12; at < segment.ip + 20; at += 2) // the two addresses
        sum += word(frame, at);
    for (std::size_t at = segment.begin; at < segment.end; at += 2) {
        if (at != segment.checksum)
            sum += at + 1 < segment.end ? word(frame, at) : std::size_t{frame[at]} << 8;
    }
    while (sum >> 16 != 0)
        sum = (sum & 0xffff) + (sum >> 16);
    const auto checksum = static_cast<std::uint16_t>(~sum);
    return segment.protocol == kUdp && checksum == 0 ? 0xffff : checksum; // 0 means "none" in UDP
}

} // namespace

bool flipPayloadBit(std::span<std::uint8_t> frame, std::uint64_t bit)
{
    const auto segment = segmentOf(frame);
    if (!segment || segment->payload == segment->end)
        return false;
    bit %= (segment->end - segment->payload) * 8;
    frame[segment->payload + bit / 8] ^= static_cast<std::uint8_t>(1U << bit % 8);
    const std::uint16_t checksum = checksumOf(frame, *segment);
    frame[segment->checksum] = static_cast<std::uint8_t>(checksum >> 8);
    frame[segment->checksum + 1] = static_cast<std::uint8_t>(checksum);
    return true;
}

} // namespace trainyard::link
