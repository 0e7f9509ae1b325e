#pragma once

#include <vector>

#include <QWidget>

#include "engine/planner/explain/explained_problem.h"

class QVBoxLayout;

namespace trainyard {

/// A list of problems or remarks, each with a link to the field, the fix, the equation with its numbers, and
/// a button for each valid setting.
class ProblemList : public QWidget {
    Q_OBJECT
public:
    explicit ProblemList(QWidget* parent = nullptr);

    void setProblems(const std::vector<ExplainedProblem>& problems);

signals:
    void problemChosen(const QString& path);
    void remedyChosen(const Remedy& remedy);

private:
    void clear();
    void add(const ExplainedProblem& explained);
    void addRemedies(const std::vector<Remedy>& remedies);

    QVBoxLayout* m_column;
};

} // namespace trainyard
