#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace trainyard {

/// A set of code points.
class CodePointSet {
public:
    struct Range {
        char32_t first;
        char32_t last; ///< included
        bool operator==(const Range&) const = default;
    };
    static constexpr char32_t kLast = 0x10FFFF;

    CodePointSet() = default;
    /// Ranges in any order, which may overlap.
    explicit CodePointSet(std::vector<Range> ranges);
    static CodePointSet of(char32_t code) { return CodePointSet({{code, code}}); }
    /// Those of a table: "9 41-5A".
    static CodePointSet parse(std::string_view table);

    bool contains(char32_t code) const;
    bool isEmpty() const { return m_ranges.empty(); }
    /// Sorted, neither overlapping nor adjacent.
    const std::vector<Range>& ranges() const { return m_ranges; }

    CodePointSet operator|(const CodePointSet& other) const;
    CodePointSet operator&(const CodePointSet& other) const;
    CodePointSet operator~() const;
    bool operator==(const CodePointSet&) const = default;

private:
    std::vector<Range> m_ranges;
};

/// Returns the code points with a property of propertyTables(), or with any category that begins with the
/// letter `name` ("L"); nullopt if there is no such property.
std::optional<CodePointSet> codePointsWith(std::string_view name);

} // namespace trainyard
