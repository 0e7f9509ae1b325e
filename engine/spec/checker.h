#pragma once

#include <string>
#include <utility>

#include <fmt/format.h>

#include "engine/base/untrusted_text.h"
#include "engine/spec/diagnostic.h"

namespace trainyard {

/// Collects what is wrong: each check adds at most one diagnostic.
class Checker {
public:
    explicit Checker(Diagnostics& diagnostics) : m_diagnostics(diagnostics) {}

    void require(bool condition, const char* path, const std::string& message, std::string hint,
                 std::string equation = {})
    {
        if (!condition)
            add(path, ErrorKind::BadInput, message, std::move(hint), std::move(equation));
    }
    void refuseUnless(bool condition, const char* path, const std::string& message, std::string hint,
                      std::string equation = {})
    {
        if (!condition)
            add(path, ErrorKind::Refused, message, std::move(hint), std::move(equation));
    }
    template <typename Number>
    void atLeast(Number value, Number least, const char* path)
    {
        require(value >= least, path, fmt::format("is {}", value), fmt::format("must be at least {}", least),
                fmt::format("{} < {}", value, least));
    }
    /// Whether it is.
    bool between(int value, int least, int most, const char* path)
    {
        const bool is = value >= least && value <= most;
        require(is, path, fmt::format("is {}", value),
                value < least ? fmt::format("must be at least {}", least)
                              : fmt::format("must be at most {}", most),
                value < least ? fmt::format("{} < {}", value, least) : fmt::format("{} > {}", value, most));
        return is;
    }
    void within(double value, double low, double high, const char* path)
    {
        require(value >= low && value < high, path, fmt::format("is {}", value),
                fmt::format("must be at least {} and below {}", low, high),
                value < low ? fmt::format("{} < {}", value, low) : fmt::format("{} >= {}", value, high));
    }

private:
    void add(const char* path, ErrorKind kind, const std::string& message, std::string hint,
             std::string equation)
    {
        m_diagnostics.push_back({path, shownMessage(message), std::move(hint), kind, std::move(equation)});
    }

    Diagnostics& m_diagnostics;
};

} // namespace trainyard
