#pragma once

#include <QWidget>

#include "remote/target/questions.h"

namespace trainyard {

/// The keys that a host is known by and the one that it shows, side by side.
class KeyComparison : public QWidget {
    Q_OBJECT
public:
    explicit KeyComparison(const HostKeyChange& change, QWidget* parent = nullptr);
};

} // namespace trainyard
