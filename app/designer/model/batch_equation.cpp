#include "app/designer/model/batch_equation.h"

#include <cstdint>
#include <limits>

namespace trainyard {

namespace {

int& termOf(RunSpec& spec, BatchTerm term)
{
    switch (term) {
    case BatchTerm::Micro:
        return spec.batch.micro;
    case BatchTerm::Accumulation:
        return spec.batch.accumulation;
    case BatchTerm::Data:
        return spec.layout.data;
    case BatchTerm::Global:
        break;
    }
    return spec.batch.global;
}

} // namespace

int batchTerm(const RunSpec& spec, BatchTerm term)
{
    return termOf(const_cast<RunSpec&>(spec), term);
}

void setBatchTerm(RunSpec& spec, BatchTerm term, int value)
{
    termOf(spec, term) = value;
    const std::int64_t perStep = std::int64_t{spec.batch.micro} * spec.layout.data;
    if (perStep < 1)
        return;
    if (term == BatchTerm::Global) {
        if (value > 0 && value % perStep == 0)
            spec.batch.accumulation = static_cast<int>(value / perStep);
        return;
    }
    const std::int64_t global = perStep * spec.batch.accumulation;
    if (global > 0 && global <= std::numeric_limits<int>::max())
        spec.batch.global = static_cast<int>(global);
}

} // namespace trainyard
