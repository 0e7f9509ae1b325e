#include "engine/base/clock.h"

#include <ctime>

namespace trainyard {

namespace {

class SystemClock final : public Clock {
public:
    Instant now() const override
    {
        using namespace std::chrono;
        return {duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count(),
                duration_cast<nanoseconds>(system_clock::now().time_since_epoch()).count()};
    }
};

std::string formatUtc(std::int64_t wallNs, const char* format)
{
    const std::time_t seconds = wallNs / 1'000'000'000;
    std::tm parts{};
    gmtime_r(&seconds, &parts);
    char text[32];
    return {text, std::strftime(text, sizeof text, format, &parts)};
}

} // namespace

const Clock& systemClock()
{
    static const SystemClock clock;
    return clock;
}

std::string utcStamp(const Instant& instant)
{
    return formatUtc(instant.wallNs, "%Y%m%dT%H%M%SZ");
}

std::string utcText(std::int64_t wallNs)
{
    return formatUtc(wallNs, "%Y-%m-%dT%H:%M:%SZ");
}

} // namespace trainyard
