#pragma once

#include <exception>
#include <string>

#include "engine/base/result.h"

namespace trainyard {

/// Why a rank that an exception ends does not go on.
struct Failure {
    ErrorKind kind = ErrorKind::Failed; ///< decides the exit status, and so whether the run is resumed
    std::string what;
};

/// The one place where exceptions become exit statuses:
///  - Unreachable (4): a group that is broken, as another rank is lost, or a device that is;
///  - Refused (3): memory that does not suffice, of the device or the host;
///  - Failed (5): everything else, which would fail again.
/// Null: std::terminate was called without an exception, Failed.
Failure failureOf(const std::exception_ptr& exception);

} // namespace trainyard
