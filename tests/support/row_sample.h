#pragma once

#include <QTest>

#include <cstdint>
#include <random>
#include <string_view>

#include "engine/base/hash.h"

namespace trainyard::support {

/// Rows of a matrix that are beyond what every run needs. Of them about one in `oneIn` runs, others each
/// time; TRAINYARD_TEST_SEED, which is printed, chooses the same ones again. With TRAINYARD_TEST_ALL_ROWS,
/// under the label long, all run.
class RowSample {
public:
    explicit RowSample(std::uint64_t oneIn) : m_oneIn(oneIn), m_seed(seed())
    {
        if (!isWhole())
            qInfo("one in %llu of the further rows: TRAINYARD_TEST_SEED=%llu",
                  static_cast<unsigned long long>(oneIn), static_cast<unsigned long long>(m_seed));
    }

    bool has(std::string_view row) const
    {
        Xxh3 hash;
        hash.update(std::to_string(m_seed));
        hash.update(row);
        return isWhole() || std::stoull(hash.hexDigest().substr(0, 15), nullptr, 16) % m_oneIn == 0;
    }

private:
    static bool isWhole() { return qEnvironmentVariableIsSet("TRAINYARD_TEST_ALL_ROWS"); }
    static std::uint64_t seed()
    {
        bool isGiven = false;
        const auto given = qEnvironmentVariable("TRAINYARD_TEST_SEED").toULongLong(&isGiven);
        return isGiven ? given : std::random_device{}();
    }

    const std::uint64_t m_oneIn;
    const std::uint64_t m_seed;
};

} // namespace trainyard::support
