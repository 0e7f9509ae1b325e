#pragma once

#include <QString>

#include "engine/base/units.h"

/// A control group of this machine whose processes, and all that they start, get so much memory together and
/// no more: the kernel then ends the biggest of them. Gone at the end, when it is empty.
class MemoryGroup {
public:
    /// Why this machine cannot have one; empty when it can.
    static QString whyNot();

    explicit MemoryGroup(trainyard::Bytes limit);
    ~MemoryGroup();
    MemoryGroup(const MemoryGroup&) = delete;
    MemoryGroup& operator=(const MemoryGroup&) = delete;

    /// As this machine counts. What the process has already is not counted.
    bool take(qint64 pid);
    /// How many processes the kernel has killed in it.
    int kills() const;

private:
    QString m_path;
};
