#include "datasets/tables/arrow_column.h"

#include <arrow/type.h>
#include <arrow/util/checked_cast.h>

namespace trainyard {

namespace {

/// The same bytes under a type that does not promise UTF-8, which would be checked.
arrow::Result<std::shared_ptr<arrow::Array>> asBinary(const std::shared_ptr<arrow::Array>& texts)
{
    std::shared_ptr<arrow::Array> bytes = texts;
    switch (texts->type_id()) {
    case arrow::Type::STRING: {
        ARROW_ASSIGN_OR_RAISE(bytes, texts->View(arrow::binary()));
        break;
    }
    case arrow::Type::LARGE_STRING: {
        ARROW_ASSIGN_OR_RAISE(bytes, texts->View(arrow::large_binary()));
        break;
    }
    case arrow::Type::STRING_VIEW: {
        auto data = texts->data()->Copy();
        data->type = arrow::binary_view();
        bytes = arrow::MakeArray(data);
        break;
    }
    default:
        break;
    }
    ARROW_RETURN_NOT_OK(bytes->ValidateFull());
    return bytes;
}

template <typename Array>
std::string_view textAt(const arrow::Array& values, std::int64_t row)
{
    return arrow::internal::checked_cast<const Array&>(values).GetView(row);
}

template <typename Array>
std::optional<std::uint64_t> numberIn(const arrow::Array& column, std::int64_t row)
{
    const auto value = arrow::internal::checked_cast<const Array&>(column).Value(row);
    return value >= 0 ? std::optional(static_cast<std::uint64_t>(value)) : std::nullopt;
}

} // namespace

bool isTextType(const arrow::DataType& type)
{
    switch (type.id()) {
    case arrow::Type::STRING:
    case arrow::Type::LARGE_STRING:
    case arrow::Type::STRING_VIEW:
    case arrow::Type::BINARY:
    case arrow::Type::LARGE_BINARY:
    case arrow::Type::BINARY_VIEW:
        return true;
    case arrow::Type::DICTIONARY:
        return isTextType(*arrow::internal::checked_cast<const arrow::DictionaryType&>(type).value_type());
    default:
        return false;
    }
}

arrow::Result<ArrowTexts> ArrowTexts::of(std::shared_ptr<arrow::Array> column)
{
    ArrowTexts texts;
    if (column->type_id() != arrow::Type::DICTIONARY) {
        ARROW_ASSIGN_OR_RAISE(texts.m_values, asBinary(column));
        return texts;
    }
    texts.m_indices = std::static_pointer_cast<arrow::DictionaryArray>(column);
    ARROW_RETURN_NOT_OK(texts.m_indices->indices()->ValidateFull());
    ARROW_ASSIGN_OR_RAISE(texts.m_values, asBinary(texts.m_indices->dictionary()));
    return texts;
}

std::optional<std::string_view> ArrowTexts::at(std::int64_t row) const
{
    if (m_indices) {
        if (m_indices->IsNull(row))
            return std::nullopt;
        row = m_indices->GetValueIndex(row);
        if (row < 0 || row >= m_values->length())
            return std::nullopt; // damaged: no such entry
    }
    if (m_values->IsNull(row))
        return std::nullopt;
    switch (m_values->type_id()) {
    case arrow::Type::LARGE_BINARY:
        return textAt<arrow::LargeBinaryArray>(*m_values, row);
    case arrow::Type::BINARY_VIEW:
        return textAt<arrow::BinaryViewArray>(*m_values, row);
    default:
        return textAt<arrow::BinaryArray>(*m_values, row);
    }
}

std::optional<std::uint64_t> numberAt(const arrow::Array& column, std::int64_t row)
{
    if (column.IsNull(row))
        return std::nullopt;
    switch (column.type_id()) {
    case arrow::Type::INT32:
        return numberIn<arrow::Int32Array>(column, row);
    case arrow::Type::UINT32:
        return numberIn<arrow::UInt32Array>(column, row);
    case arrow::Type::INT64:
        return numberIn<arrow::Int64Array>(column, row);
    case arrow::Type::UINT64:
        return numberIn<arrow::UInt64Array>(column, row);
    default:
        return std::nullopt;
    }
}

} // namespace trainyard
