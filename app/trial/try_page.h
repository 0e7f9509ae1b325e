#pragma once

#include "app/trial/model/trial.h"
#include "app/workspace/page.h"

class QCheckBox;
class QHBoxLayout;
class QLabel;
class QPlainTextEdit;
class QPushButton;
class QShortcut;

namespace trainyard {

class AnswerView;
class HostListModel;
class ModelField;
class PageFrame;
class RunStore;
class SamplingForm;

/// The page "Try": one model, or two next to each other, on a text.
class TryPage : public Page {
    Q_OBJECT

public:
    /// All must outlive the page.
    struct Parts {
        RunStore& store;
        HostListModel& hosts;
        RunService& runs;
    };
    explicit TryPage(const Parts& parts, QWidget* parent = nullptr);

    QList<KeyHint> keyHints() const override;
    void activate() override;
    void refresh() override;
    /// Chooses the run's checkpoint of that step, nullopt = the newest.
    void setModel(const QString& runId, std::optional<qint64> step);

private:
    /// A model and its answer.
    struct Side {
        ModelField* model;
        AnswerView* answer;
        Trial* trial;
    };

    QWidget* makeForm();
    QWidget* makeText();
    QWidget* makePair();
    QWidget* makeAnswers();
    Side makeSide(const Parts& parts, const QString& number);
    void compare(bool compared);
    void showLists();
    void showUses();
    void showTexts();
    void showBusy(bool canTry);
    void tryText();
    void cancel();
    void insertMask();
    void onTrialChanged(const Side& side);
    TrialText text() const;
    QString whyNot() const;
    bool isBusy() const;
    QList<Side> sides() const;
    QList<TrialModel> models() const;

    RunStore& m_store;
    HostListModel& m_hosts;
    Side m_first;
    Side m_second;
    QCheckBox* m_compares;
    SamplingForm* m_sampling;
    QLabel* m_help;
    QLabel* m_textHeading;
    QPlainTextEdit* m_text;
    QLabel* m_pairHeading;
    QPlainTextEdit* m_pair; ///< second sentence, or the text with the answer
    QWidget* m_pairPart;
    QLabel* m_note; ///< why the text cannot be tried
    QPushButton* m_mask;
    QPushButton* m_try;
    QPushButton* m_cancel;
    QShortcut* m_escape;
    PageFrame* m_frame;
};

} // namespace trainyard
