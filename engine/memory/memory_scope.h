#pragma once

#include "engine/records/record.h"

namespace trainyard {

/// While it lives, tensors that this thread allocates count under `category`. Scopes nest; outside of all of
/// them the category is Other. The backward pass on the CPU runs on the thread that calls backward(), so a
/// scope around it covers it.
class MemoryScope {
public:
    explicit MemoryScope(MemoryCategory category);
    ~MemoryScope();
    MemoryScope(const MemoryScope&) = delete;
    MemoryScope& operator=(const MemoryScope&) = delete;

    /// The calling thread's category.
    static MemoryCategory current();

private:
    MemoryCategory m_outer;
};

} // namespace trainyard
