#include "tests/auto/training/reference_rows.h"

#include <algorithm>
#include <string>

#include <torch/types.h>

#include "engine/checkpoint/format/safetensors.h"
#include "engine/checkpoint/tensor_views.h"
#include "engine/spec/names.h"
#include "tests/support/reference_data.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

template <typename Value>
void copyValues(const SafetensorsFile& inputs, const char* name, std::vector<Value>& column)
{
    const at::Tensor values = tensorFrom(*inputs.find(name)).to(at::kDouble).reshape({-1}).contiguous();
    const double* first = values.const_data_ptr<double>();
    std::transform(first, first + values.numel(), column.begin(),
                   [](double value) { return static_cast<Value>(value); });
}

} // namespace

fs::path referenceTask(TaskKind kind)
{
    return referenceTaskModel(std::string(nameOf(kind)));
}

RowBlock referenceRows(const fs::path& folder, const TaskSpec& task)
{
    const auto inputs = SafetensorsFile::open(folder / "inputs.safetensors").value();
    const auto shape = inputs.find("input_ids")->shape;
    RowBlock rows(static_cast<int>(shape[1]), task.kind);
    rows.resize(static_cast<std::size_t>(shape[0]));
    copyValues(inputs, "input_ids", rows.inputIds);
    copyValues(inputs, "attention_mask", rows.inputMask);
    copyValues(inputs, "token_type_ids", rows.segmentIds);
    if (task.kind == TaskKind::Answer) {
        copyValues(inputs, "start_positions", rows.startPositions);
        copyValues(inputs, "end_positions", rows.endPositions);
    } else if (task.kind == TaskKind::Regress) {
        copyValues(inputs, "labels", rows.values);
    } else {
        copyValues(inputs, "labels", rows.labels);
    }
    return rows;
}

} // namespace trainyard
