#pragma once

#include <optional>
#include <vector>

#include <QList>
#include <QString>

#include "engine/records/record.h"

namespace trainyard {

class RunSeries;
struct RunFacts;

/// Memory of one rank's device, by category, at the moment it held most.
struct DeviceMemory {
    QString name; ///< "rank 3"
    QString host; ///< empty = unknown
    MemoryByCategory categories{};
    Bytes peak = 0;
    Bytes capacity = 0;                        ///< 0 = unknown
    std::optional<MemoryByCategory> planned{}; ///< nothing when that is not known
};

Bytes totalOf(const MemoryByCategory& categories);

/// Every rank of the run, in order. Ranks fill the hosts' slots in the order of the specification.
QList<DeviceMemory> deviceMemory(const RunFacts& facts, const RunSeries& series);
/// The same with what was planned for each rank, where that is known already; it may be shorter.
QList<DeviceMemory> deviceMemory(const RunFacts& facts, const RunSeries& series,
                                 const std::vector<MemoryByCategory>& planned);

/// How many bytes a full bar stands for when all devices are drawn to one scale: the capacity, unless so
/// little of it is used that the categories could not be told apart; then the highest peak, measured or
/// planned. At least 1.
Bytes memoryScale(const QList<DeviceMemory>& devices);

} // namespace trainyard
