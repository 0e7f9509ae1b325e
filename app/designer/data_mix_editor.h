#pragma once

#include <vector>

#include <QWidget>

#include "app/data/model/data_set_list_model.h"
#include "app/designer/model/data_mix_edits.h"
#include "app/designer/model/spec_document.h"
#include "app/designer/spec_field.h"
#include "engine/spec/diagnostic.h"

class QHBoxLayout;
class QLabel;
class QPushButton;
class QToolButton;
class QVBoxLayout;

namespace trainyard {

class FieldEditor;

/// Edits the mix of data sets of a run or of one of its phases: folder and weight of each, with the share of
/// the training rows that follows from the weights. Of a run on one data set it shows only the button that
/// adds another; removing the last but one leads back there.
class DataMixEditor : public QWidget {
    Q_OBJECT
public:
    /// Document and list must outlive the editor.
    DataMixEditor(SpecDocument& document, const DataSetListModel& dataSets, DatasetPlace place,
                  QWidget* parent = nullptr);

    /// Whether the single path is hidden: the mix is edited in its place.
    bool isInPlaceOfPath() const;
    /// Adds a control at the end of the line of the add button; the editor owns it.
    void addBeside(QWidget* widget);
    /// Shows headings muted, for a mix that a phase only inherits.
    void setMuted(bool muted);
    /// Shows what is found beyond the document's diagnostics: data sets that do not fit each other or the
    /// model.
    void showFound(const Diagnostics& found);
    /// Returns the control of "dataset.mix[1].weight"; of a data set its path, of the mix, and of the single
    /// path that it hides, the first one. Null without that data set or for another path.
    QWidget* controlFor(const QString& path) const;
    /// Whether problems of this path are shown here.
    bool hasField(const QString& path) const;

signals:
    void helpWanted(const QString& help);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    struct Row {
        QWidget* widget;
        FieldEditor* path;
        FieldEditor* weight;
        QLabel* share;
        QLabel* error;
    };
    QWidget* makeHeadings();
    Row makeRow(std::size_t set);
    FieldEditor* makeField(const SpecField& field, std::size_t set, QWidget* row);
    QToolButton* makeChooser(std::size_t set);
    QToolButton* makeRemove(std::size_t set);
    void edit(const QString& what, const QString& field, const std::function<void(DatasetSpec&)>& change);
    void setPath(std::size_t set, const QString& folder);
    void add();
    void remove(std::size_t set);
    DatasetSpec dataset() const;
    QString pathOf(std::size_t set) const;
    QList<QWidget*> rowWidgets() const;
    void refresh();
    void resizeRows(std::size_t sets);
    void showShares();
    void showAdd();
    void showProblems();
    void showProblem(const Row& row, std::size_t set) const;
    QString problemOf(const QString& path) const;

    SpecDocument& m_document;
    const DataSetListModel& m_dataSets;
    DatasetPlace m_place;
    Diagnostics m_found;
    std::vector<Row> m_rows;
    std::vector<QLabel*> m_names; ///< the headings
    QWidget* m_headings;
    QVBoxLayout* m_layout; ///< of the rows
    QLabel* m_error;       ///< of the mix as a whole
    QPushButton* m_add;
    QHBoxLayout* m_bar;
};

} // namespace trainyard
