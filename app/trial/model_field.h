#pragma once

#include <functional>
#include <optional>

#include <QList>
#include <QWidget>

#include "app/trial/model/trial_model.h"
#include "remote/launch/run_service.h"

class QLineEdit;
class QVBoxLayout;

namespace trainyard {

class ChoiceBox;
class FormRow;
class RunHosts;

/// Chooses a trained model: a run and its checkpoint, or a folder of a host.
class ModelField : public QWidget {
    Q_OBJECT

public:
    /// `hosts` lists the checkpoints of runs, null = it cannot; `number` distinguishes the labels of a second
    /// field, empty = the first. Both arguments must outlive the field.
    ModelField(RunHosts* hosts, RunService& runs, const QString& number, QWidget* parent = nullptr);

    /// The runs that can be tried, newest first. Keeps the choice.
    void setRuns(const QList<RunEntry>& runs);
    void setHosts(const QStringList& hosts);
    /// Chooses the run's checkpoint of that step, nullopt = the newest; no effect for an unknown run.
    void chooseRun(const QString& runId, std::optional<qint64> step);
    /// Asks again for the run's checkpoints.
    void refresh();
    TrialModel model() const;

signals:
    void changed();
    /// The row with the focus or under the pointer.
    void helpWanted(const QString& help);

private:
    /// An entry of the list of checkpoints.
    struct Checkpoint {
        std::optional<qint64> step; ///< nullopt: the newest one, or the best
        bool best = false;

        bool operator==(const Checkpoint&) const = default;
    };

    FormRow* addRow(QVBoxLayout* column, const QString& label, QWidget* field, const QString& help);
    void addFolderRows(QVBoxLayout* column, const QString& number);
    void chooseFolder();
    const RunEntry* run() const;
    void onRunChosen();
    void listCheckpoints();
    void onListed(const Result<QList<RunCheckpoint>>& listed);
    void showRows();
    void showCheckpoints(const Checkpoint& chosen);
    Checkpoint checkpoint() const;

    RunHosts* m_hosts;
    RunService& m_service;
    QList<RunEntry> m_runs;
    bool m_wasChosen = false;        ///< by the user; before it is the newest run
    QList<qint64> m_steps;           ///< of the run's checkpoints, newest first
    QList<Checkpoint> m_checkpoints; ///< as in the box
    quint64 m_generation = 0;        ///< answers of earlier generations are dropped
    ChoiceBox* m_run;
    ChoiceBox* m_checkpoint;
    ChoiceBox* m_host;
    QLineEdit* m_folder;
    QLineEdit* m_vocabulary;
    FormRow* m_checkpointRow = nullptr;
    QList<FormRow*> m_folderRows;
};

} // namespace trainyard
