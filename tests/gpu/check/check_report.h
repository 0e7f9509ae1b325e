#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace trainyard {

/// Collects checks and prints a line for each as it is made, in the words of Qt Test:
///     PASS   : kernels, lamb float32: 3.1e-07 of at most 1e-05
/// A check that throws or fails is a failure; the next one is made all the same.
class CheckReport {
public:
    /// `speaks`: prints; of several ranks only the first one does.
    explicit CheckReport(bool speaks) : m_speaks(speaks) {}

    /// Names of the checks that follow begin with it.
    void beginGroup(std::string name) { m_group = std::move(name); }
    /// A relative error must not be above `bound`; not a number is.
    void error(const std::string& name, double bound, const std::function<Result<double>()>& measure);
    void holds(const std::string& name, const std::function<Status()>& check);
    /// Something that this machine lacks.
    void skip(const std::string& name, const std::string& why);
    /// A figure that nothing is expected of.
    void note(const std::string& name, const std::string& text);

    int failures() const { return m_failures; }
    /// A JSON array of objects: name, outcome ("pass", "fail", "skip", "note"), error, bound, text.
    std::string json() const;

private:
    struct Line {
        std::string name;
        const char* outcome;
        double error = 0;
        double bound = 0;
        std::string text;
    };
    void add(Line line);

    bool m_speaks;
    std::string m_group;
    std::vector<Line> m_lines;
    int m_failures = 0;
};

} // namespace trainyard
