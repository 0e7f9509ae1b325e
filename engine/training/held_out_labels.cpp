#include "engine/training/held_out_labels.h"

namespace trainyard {

namespace {

/// Columns that the row's task does not have are empty.
template <typename Value>
void appendColumn(std::vector<Value>& all, const std::vector<Value>& column, const RowView& row)
{
    if (column.empty())
        return;
    const std::size_t width = column.size() / row.block->rows;
    const auto first = column.begin() + static_cast<std::ptrdiff_t>(row.row * width);
    all.insert(all.end(), first, first + static_cast<std::ptrdiff_t>(width));
}

} // namespace

Result<HeldOutLabels> HeldOutLabels::read(HeldOutRows& rows)
{
    HeldOutLabels labels;
    labels.length = static_cast<std::size_t>(rows.sequenceLength());
    for (std::uint64_t number = 0; number < rows.schedule().rows; ++number) {
        TRAINYARD_TRY(const RowView row, rows.row(number));
        appendColumn(labels.labels, row.block->labels, row);
        appendColumn(labels.values, row.block->values, row);
        appendColumn(labels.tokenBegins, row.block->tokenBegins, row);
        appendColumn(labels.tokenEnds, row.block->tokenEnds, row);
        if (!row.block->questions.empty())
            labels.questionOf.push_back(static_cast<std::size_t>(row.block->questions[row.row]));
    }
    labels.questions = rows.takeQuestions();
    return labels;
}

} // namespace trainyard
