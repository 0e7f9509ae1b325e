#include "engine/memory/memory_scope.h"

namespace trainyard {

namespace {

thread_local MemoryCategory currentCategory = MemoryCategory::Other;

} // namespace

MemoryScope::MemoryScope(MemoryCategory category) : m_outer(currentCategory)
{
    currentCategory = category;
}

MemoryScope::~MemoryScope()
{
    currentCategory = m_outer;
}

MemoryCategory MemoryScope::current()
{
    return currentCategory;
}

} // namespace trainyard
