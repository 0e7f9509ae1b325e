#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "engine/base/check.h"

namespace trainyard {

/// What kind of failure the caller should report; each kind has a documented exit status.
enum class ErrorKind {
    BadInput,    ///< 2: a file, a field or an option is wrong
    Refused,     ///< 3: understood, but it would not fit or work
    Unreachable, ///< 4: a host could not be reached or prepared
    Failed,      ///< 5: the work itself failed
    Cancelled,   ///< 130: somebody asked to stop
};

int exitStatus(ErrorKind kind);
std::optional<ErrorKind> errorKindFromExitStatus(int status);

/// The world failed: what went wrong, where, and what to do about it.
/// Each layer puts its own context in front: `deploy to gpu-03: upload worker: no space left`.
struct Error {
    ErrorKind kind = ErrorKind::Failed;
    std::string message;
    std::string hint; ///< What the user can do; may be empty.

    /// The same error seen from one layer further out.
    Error in(const std::string& context) const { return {kind, context + ": " + message, hint}; }
    /// `message — hint`, one line for a person.
    std::string text() const;
};

inline Error badInput(std::string message, std::string hint = {})
{
    return {ErrorKind::BadInput, std::move(message), std::move(hint)};
}
inline Error refused(std::string message, std::string hint = {})
{
    return {ErrorKind::Refused, std::move(message), std::move(hint)};
}
inline Error unreachable(std::string message, std::string hint = {})
{
    return {ErrorKind::Unreachable, std::move(message), std::move(hint)};
}
inline Error failed(std::string message, std::string hint = {})
{
    return {ErrorKind::Failed, std::move(message), std::move(hint)};
}
inline Error cancelled(std::string message)
{
    return {ErrorKind::Cancelled, std::move(message), {}};
}
/// `what: <text of errno>`.
Error systemError(ErrorKind kind, const std::string& what, int errorNumber);

/// A value or the reason why there is none. Reading the wrong side stops the program.
template <typename T>
class [[nodiscard]] Result {
public:
    Result(T value) : m_state(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : m_state(std::in_place_index<1>, std::move(error)) {}

    bool ok() const { return m_state.index() == 0; }
    explicit operator bool() const { return ok(); }

    T& value() &
    {
        requireValue();
        return std::get<0>(m_state);
    }
    const T& value() const&
    {
        requireValue();
        return std::get<0>(m_state);
    }
    T value() && // by value, so that a range-for over it keeps it alive
    {
        requireValue();
        return std::get<0>(std::move(m_state));
    }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }
    T& operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T operator*() && { return std::move(*this).value(); }

    const Error& error() const
    {
        TRAINYARD_CHECK(!ok());
        return std::get<1>(m_state);
    }

private:
    void requireValue() const
    {
        if (!ok())
            checkFailed("Result::value()", __FILE__, __LINE__, std::get<1>(m_state).text());
    }
    std::variant<T, Error> m_state;
};

template <>
class [[nodiscard]] Result<void> {
public:
    Result() = default;
    Result(Error error) : m_error(std::move(error)) {}

    bool ok() const { return !m_error; }
    explicit operator bool() const { return ok(); }
    const Error& error() const
    {
        TRAINYARD_CHECK(!ok());
        return *m_error;
    }

private:
    std::optional<Error> m_error;
};

using Status = Result<void>;

} // namespace trainyard

#define TRAINYARD_CONCAT_INNER(a, b) a##b
#define TRAINYARD_CONCAT(a, b) TRAINYARD_CONCAT_INNER(a, b)

/// TRAINYARD_TRY(auto file, openFile(path)); returns the error to the caller, otherwise binds the value.
#define TRAINYARD_TRY(declaration, expression)                                                               \
    auto TRAINYARD_CONCAT(tryResult, __LINE__) = (expression);                                               \
    if (!TRAINYARD_CONCAT(tryResult, __LINE__).ok())                                                         \
        return TRAINYARD_CONCAT(tryResult, __LINE__).error();                                                \
    declaration = std::move(TRAINYARD_CONCAT(tryResult, __LINE__)).value()

/// Returns the error to the caller, if there is one.
#define TRAINYARD_TRY_STATUS(expression)                                                                     \
    do {                                                                                                     \
        if (auto tryStatus = (expression); !tryStatus.ok())                                                  \
            return tryStatus.error();                                                                        \
    } while (false)
