#pragma once

#include <string>
#include <vector>

namespace trainyard {

/// The error messages of a run that were printed. A rank, its supervisor and the state of the run each report
/// why it failed, the later ones around the words of the first: "rank 0 on a ended with status 3: WORDS".
class ToldErrors {
public:
    /// The part of the message that was not printed before; empty where all of it was. Remembers the message.
    std::string newPartOf(const std::string& message);
    /// Call when another attempt begins, which may fail for the same reason.
    void forget() { m_told.clear(); }

private:
    std::vector<std::string> m_told;
};

} // namespace trainyard
