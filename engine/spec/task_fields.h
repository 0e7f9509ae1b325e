#pragma once

#include "engine/spec/field_info.h"
#include "engine/spec/limits.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

template <typename Visitor>
void describe(Visitor& field, Of<TaskSpec>)
{
    field("kind", &TaskSpec::kind,
          {.label = "Task",
           .help = "Class (classify) or number (regress) of each row, class of each word (tag), answer, or "
                   "completion; none pre-trains",
           .source = "Devlin et al., arXiv:1810.04805, section 4"});
    field("labels", &TaskSpec::labels,
          {.label = "Labels",
           .help = "Classes of classify and tag, as many as the data set names",
           .range = between(2, kMaxLabels)});
    field("dropout", &TaskSpec::dropout,
          {.label = "Head dropout",
           .help = "Fraction of elements that are dropped before the last product of classify, regress and "
                   "tag",
           .range = fraction(),
           .source = "Hinton et al., arXiv:1207.0580"});
}

} // namespace trainyard
