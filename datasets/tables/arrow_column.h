#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include <arrow/array.h>
#include <arrow/result.h>

namespace trainyard {

bool isTextType(const arrow::DataType& type);

/// The texts of a column, however they are stored; checked, so that damage cannot lead out of its buffers.
class ArrowTexts {
public:
    /// Requires isTextType().
    static arrow::Result<ArrowTexts> of(std::shared_ptr<arrow::Array> column);

    std::optional<std::string_view> at(std::int64_t row) const;

private:
    std::shared_ptr<arrow::Array> m_values;            ///< binary, large_binary or binary_view
    std::shared_ptr<arrow::DictionaryArray> m_indices; ///< null = no dictionary
};

/// A whole number, not below 0.
std::optional<std::uint64_t> numberAt(const arrow::Array& column, std::int64_t row);

} // namespace trainyard
