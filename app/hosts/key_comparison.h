#pragma once

#include <QWidget>

#include "remote/target/questions.h"

namespace trainyard {

/// Shows the recorded keys of a host next to the one it presents.
class KeyComparison : public QWidget {
    Q_OBJECT
public:
    explicit KeyComparison(const HostKeyChange& change, QWidget* parent = nullptr);
};

} // namespace trainyard
