#pragma once

#include "app/data/option_fields.h"

namespace trainyard {

// The rows of the preparation form about labelled examples, by the options of `prepare --task`.

/// What the files are for: pre-training, or one of the tasks.
void addTaskChoice(OptionFields& fields, QVBoxLayout* column);
/// The columns of the files.
void addTaskColumns(OptionFields& fields, QVBoxLayout* column);
/// Labels, and the overlap of rows.
void addTaskDetails(OptionFields& fields, QVBoxLayout* column);

/// Shows the rows that mean something for the task, and says what its files are.
void showTaskRows(const OptionFields& fields, const TaskOptions& task);

} // namespace trainyard
