#pragma once

#include <string>
#include <utility>

#include "engine/base/file.h"

namespace trainyard::agent {

/// The end of what a program writes into a pipe, such as ssh's error output. Read often, it never fills the
/// pipe, which would stop the program. One thread.
class ErrorTail {
public:
    ErrorTail() = default;
    /// Reads from `pipe`, which it makes non-blocking.
    explicit ErrorTail(FileDescriptor pipe);

    /// For poll(); -1 = nothing comes any more.
    int fd() const { return m_pipe.get(); }
    /// Reads what is there.
    void read();
    /// The last line that is not blank; empty: none.
    std::string lastLine() const;

private:
    FileDescriptor m_pipe;
    std::string m_text;
};

} // namespace trainyard::agent
