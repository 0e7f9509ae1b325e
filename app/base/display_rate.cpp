#include "app/base/display_rate.h"

#include <array>
#include <utility>

#include "app/base/display_text.h"

namespace trainyard {

QString displayOperations(double perSecond)
{
    static constexpr std::array<std::pair<double, const char*>, 3> kPrefixes{
        {{1e15, " PFLOP/s"}, {1e12, " TFLOP/s"}, {1e9, " GFLOP/s"}}};
    for (const auto& [factor, unit] : kPrefixes) {
        if (perSecond >= factor)
            return displayNumber(perSecond / factor) + QLatin1String(unit);
    }
    return displayNumber(perSecond / 1e6) + QStringLiteral(" MFLOP/s");
}

} // namespace trainyard
