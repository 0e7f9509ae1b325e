#include "tests/device/stand_in/cudart/faults.h"

#include <csignal>
#include <cstdlib>
#include <map>
#include <mutex>
#include <sstream>

#include <unistd.h>

namespace trainyard::stand_in {

namespace {

struct Fault {
    std::string action;
    std::string point;
    int time = 1;
};

Fault parsed(const std::string& text)
{
    const std::size_t at = text.find('@');
    const std::size_t colon = text.find(':', at);
    Fault fault{text.substr(0, at), text.substr(at + 1, colon == text.npos ? colon : colon - at - 1), 1};
    if (colon != text.npos)
        fault.time = std::stoi(text.substr(colon + 1));
    return fault;
}

/// The action planned for this time at the point; stuck threads hold no lock.
std::string due(const std::string& point)
{
    static std::mutex mutex;
    static auto* const times = new std::map<std::string, int>;
    const char* const plan = std::getenv("TRAINYARD_STAND_IN_FAULT");
    if (!plan)
        return {};
    const std::lock_guard lock(mutex);
    const int time = ++(*times)[point];
    std::istringstream entries(plan);
    for (std::string entry; std::getline(entries, entry, ',');) {
        if (const Fault fault = parsed(entry); fault.point == point && fault.time == time)
            return fault.action;
    }
    return {};
}

} // namespace

std::string faultAt(const std::string& point)
{
    const std::string action = due(point);
    if (action == "die")
        ::kill(::getpid(), SIGKILL);
    while (action == "stick")
        ::pause();
    return action;
}

} // namespace trainyard::stand_in
