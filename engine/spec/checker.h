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

private:
    void add(const char* path, ErrorKind kind, const std::string& message, std::string hint,
             std::string equation)
    {
        m_diagnostics.push_back({path, shownMessage(message), std::move(hint), kind, std::move(equation)});
    }

    Diagnostics& m_diagnostics;
};

} // namespace trainyard
