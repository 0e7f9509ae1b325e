#pragma once

#include <QString>

namespace trainyard {

/// "93.1 GFLOP/s", "312 TFLOP/s": three significant digits. A figure that does not exist is an en dash.
QString displayOperations(double perSecond);

} // namespace trainyard
