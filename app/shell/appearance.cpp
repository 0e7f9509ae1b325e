#include "app/shell/appearance.h"

#include <chrono>
#include <vector>

#include <QApplication>
#include <QPointer>
#include <QScrollBar>
#include <QSettings>
#include <QStyle>
#include <QStyleFactory>
#include <QTimer>

namespace trainyard {

namespace {

const QString kKey = QStringLiteral("appearance/scheme");
/// Within it every view is laid out in the new scheme.
constexpr std::chrono::milliseconds kSettling{500};

std::optional<ColourScheme> storedChoice(const QSettings& settings)
{
    const QString name = settings.value(kKey).toString();
    if (name == QLatin1String("dark"))
        return ColourScheme::Dark;
    if (name == QLatin1String("light"))
        return ColourScheme::Light;
    return std::nullopt;
}

/// Where every list, table and log is scrolled to; one at its end stays there, whatever its length becomes.
class ScrollPositions {
public:
    ScrollPositions()
    {
        for (QWidget* widget : QApplication::allWidgets()) {
            auto* bar = qobject_cast<QScrollBar*>(widget);
            if (bar && bar->minimum() < bar->maximum())
                m_positions.push_back({bar, bar->value(), bar->value() == bar->maximum()});
        }
    }

    void restore() const
    {
        for (const Position& position : m_positions) {
            if (position.bar)
                position.bar->setValue(position.isAtEnd ? position.bar->maximum() : position.value);
        }
    }

    /// Until `context` is destroyed: views measure their rows again at a time of their choice.
    void keepEnds(QObject* context) const
    {
        for (const Position& position : m_positions) {
            if (position.bar && position.isAtEnd)
                QObject::connect(position.bar, &QScrollBar::rangeChanged, context,
                                 [bar = position.bar](int, int maximum) { bar->setValue(maximum); });
        }
    }

private:
    struct Position {
        QPointer<QScrollBar> bar;
        int value;
        bool isAtEnd;
    };
    std::vector<Position> m_positions;
};

} // namespace

void dress(QApplication& application, ColourScheme scheme)
{
    const ScrollPositions positions; // fonts and distances without a sheet clamp them
    application.setStyleSheet({});   // to replace one sheet by another takes Qt seven times as long
    QApplication::setPalette(paletteOf(scheme));
    application.setStyleSheet(styleSheetOf(scheme));
    positions.restore();
    QTimer::singleShot(0, &application, [positions] { positions.restore(); }); // after layouts on their way
    auto* settling = new QObject(&application);
    positions.keepEnds(settling);
    QTimer::singleShot(kSettling, settling, &QObject::deleteLater);
}

Appearance::Appearance(QApplication& application, QSettings& settings, QObject* parent)
    : QObject(parent), m_application(application), m_settings(settings), m_choice(storedChoice(settings))
{
    connect(&m_system, &SystemScheme::changed, this, [this] {
        if (followsSystem())
            apply();
    });
    m_application.setStyleSheet({}); // of an earlier window in this process: see apply()
    // Fusion is drawn alike everywhere, so that the style sheet means the same on every desktop.
    QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
    QApplication::setPalette(paletteOf(scheme()));
}

ColourScheme Appearance::scheme() const
{
    return m_choice.value_or(m_system.scheme());
}

void Appearance::choose(std::optional<ColourScheme> choice)
{
    m_choice = choice;
    if (!choice)
        m_settings.remove(kKey);
    else
        m_settings.setValue(kKey,
                            *choice == ColourScheme::Dark ? QStringLiteral("dark") : QStringLiteral("light"));
    apply();
}

void Appearance::toggle()
{
    choose(scheme() == ColourScheme::Dark ? ColourScheme::Light : ColourScheme::Dark);
}

void Appearance::apply()
{
    dress(m_application, scheme());
    emit changed();
}

} // namespace trainyard
