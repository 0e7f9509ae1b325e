#pragma once

#include <optional>
#include <string>

#include "engine/base/result.h"

namespace trainyard {

/// Complete lines of the input.
struct LineBlock {
    std::string text;
    std::size_t firstLine = 0; ///< number of its first line, from 1
};

/// Reads standard input in blocks of about 256 KiB. For one thread.
class LineReader {
public:
    /// nullopt at the end.
    Result<std::optional<LineBlock>> next();

private:
    std::string m_rest; ///< an incomplete line
    std::size_t m_line = 1;
};

/// `line N is not {"text": "..."}`.
Error notATextLine(std::size_t number);

} // namespace trainyard
