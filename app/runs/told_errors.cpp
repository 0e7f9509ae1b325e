#include "app/runs/told_errors.h"

namespace trainyard {

std::string ToldErrors::newPartOf(const std::string& message)
{
    if (message.empty())
        return {};
    std::string part = message;
    for (const std::string& told : m_told) {
        if (told == message || told.ends_with(": " + message))
            return {};
        if (const std::string cause = ": " + told; message.ends_with(cause))
            part = message.substr(0, message.size() - cause.size());
    }
    m_told.push_back(message);
    return part;
}

} // namespace trainyard
