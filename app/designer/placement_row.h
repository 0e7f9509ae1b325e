#pragma once

#include <QWidget>

#include "app/designer/model/spec_document.h"
#include "app/plan/device_map.h"

namespace trainyard {

class ElidedLabel;
class PlacementLetters;

/// The order in which ranks are placed: its letters, each move being one undo step, next to the spelling of
/// other tools.
class PlacementRow : public QWidget {
    Q_OBJECT
public:
    explicit PlacementRow(SpecDocument& document, QWidget* parent = nullptr);

    /// Shows this map, which must be of the document's specification.
    void setMap(const DeviceMap& map);

private:
    QLayout* makeSpellings();
    void showSpellings(const QString& letters, int context);
    void apply(const QString& letters);

    SpecDocument& m_document;
    PlacementLetters* m_letters;
    ElidedLabel* m_spelling; ///< in SageMaker and Megatron
    ElidedLabel* m_deepSpeed;
};

} // namespace trainyard
