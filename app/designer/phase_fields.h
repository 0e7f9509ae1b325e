#pragma once

#include <vector>

#include "app/designer/spec_field.h"

namespace trainyard {

/// A field in the form of a phase.
struct PhaseField {
    SpecField field;     ///< "phases[1].batch.global"; its setter makes the phase override what it changes
    QString inherited{}; ///< the field of the run that it overrides, "batch.global"; empty: its own
};

struct PhaseSection {
    QString title;
    std::vector<PhaseField> fields;
};

/// Returns the fields that are inherited together with this one of the run: the terms of the batch equation,
/// which follow each other; path and mix of the data set, of which one counts; else the field alone.
QStringList inheritedWith(const QString& field);

/// Returns the rows of the form of a phase, from 0: its own fields first, without a title, then those that it
/// can override. Without such a phase the getters give defaults, and the setters do nothing.
std::vector<PhaseSection> phaseSections(int phase);

} // namespace trainyard
