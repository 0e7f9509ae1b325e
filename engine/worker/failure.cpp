#include "engine/worker/failure.h"

#include <algorithm>
#include <array>
#include <new>
#include <string_view>

#include <c10/util/Exception.h>

#include "engine/comm/work.h"

namespace trainyard {

namespace {

/// Codes of cudaError_t (driver_types.h; the worker links no CUDA) that say that the device, its link or its
/// driver broke. An illegal address or instruction is not among them: a program's fault would recur.
constexpr std::array kLostDevice{
    46,  // cudaErrorDevicesUnavailable
    100, // cudaErrorNoDevice
    214, // cudaErrorECCUncorrectable
    220, // cudaErrorNvlinkUncorrectable
    226, // cudaErrorContained: an uncorrectable error that was contained in this process
    702, // cudaErrorLaunchTimeout
    709, // cudaErrorContextIsDestroyed
    714, // cudaErrorHardwareStackError
    719, // cudaErrorLaunchFailure: with Xid in the kernel's log
    802, // cudaErrorSystemNotReady
    805, // cudaErrorMpsConnectionFailed
    806, // cudaErrorMpsRpcFailure
    807, // cudaErrorMpsServerNotReady
    911, // cudaErrorExternalDevice
    999, // cudaErrorUnknown
};

/// cuBLAS keeps CUDA's code to itself.
constexpr std::string_view kProductFailed = "CUBLAS_STATUS_EXECUTION_FAILED";
constexpr std::string_view kNoWorkspace = "CUBLAS_STATUS_ALLOC_FAILED";

ErrorKind kindOf(const c10::Error& error)
{
    const std::string_view text = error.what_without_backtrace();
    if (text.find(kProductFailed) != text.npos)
        return ErrorKind::Unreachable;
    return text.find(kNoWorkspace) != text.npos ? ErrorKind::Refused : ErrorKind::Failed;
}

} // namespace

Failure failureOf(const std::exception_ptr& exception)
{
    if (!exception)
        return {ErrorKind::Failed, "std::terminate was called"};
    try {
        std::rethrow_exception(exception);
    } catch (const CommunicationError& error) {
        return {ErrorKind::Unreachable, error.what()};
    } catch (const c10::AcceleratorError& error) {
        const bool lost = std::ranges::find(kLostDevice, error.get_error_code()) != kLostDevice.end();
        return {lost ? ErrorKind::Unreachable : ErrorKind::Failed, error.what_without_backtrace()};
    } catch (const c10::OutOfMemoryError& error) {
        return {ErrorKind::Refused, error.what_without_backtrace()};
    } catch (const c10::Error& error) {
        return {kindOf(error), error.what_without_backtrace()};
    } catch (const std::bad_alloc&) {
        return {ErrorKind::Refused, "no memory left on the host"};
    } catch (const std::exception& error) {
        return {ErrorKind::Failed, error.what()};
    } catch (...) {
        return {ErrorKind::Failed, "an exception of unknown type"};
    }
}

} // namespace trainyard
