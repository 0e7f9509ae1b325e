#pragma once

#include <optional>
#include <vector>

#include <QList>
#include <QString>

#include "engine/records/record.h"

namespace trainyard {

class RunSeries;
struct RunFacts;

/// Peak memory of one rank's device, by category.
struct DeviceMemory {
    QString name; ///< "rank 3"
    QString host; ///< empty = unknown
    MemoryByCategory categories{};
    Bytes peak = 0;
    Bytes capacity = 0;                        ///< 0 = unknown
    std::optional<MemoryByCategory> planned{}; ///< nullopt = unknown
};

Bytes totalOf(const MemoryByCategory& categories);

/// All ranks of the run, in order, with the memory planned for the present phase. Ranks fill the hosts' slots
/// in the order of the specification.
QList<DeviceMemory> deviceMemory(const RunFacts& facts, const RunSeries& series);
/// The same with the planned memory of each rank, if known; `planned` may be shorter.
QList<DeviceMemory> deviceMemory(const RunFacts& facts, const RunSeries& series,
                                 const std::vector<MemoryByCategory>& planned);

/// Bytes of a full bar when all devices share one scale: the capacity, unless the categories would be too
/// small to see; then the highest peak, measured or planned. At least 1.
Bytes memoryScale(const QList<DeviceMemory>& devices);

} // namespace trainyard
