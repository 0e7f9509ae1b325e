#include "app/shell/appearance.h"

#include <QApplication>
#include <QSettings>
#include <QStyle>
#include <QStyleFactory>

namespace trainyard {

namespace {

const QString kKey = QStringLiteral("appearance/scheme");

std::optional<ColourScheme> storedChoice(const QSettings& settings)
{
    const QString name = settings.value(kKey).toString();
    if (name == QLatin1String("dark"))
        return ColourScheme::Dark;
    if (name == QLatin1String("light"))
        return ColourScheme::Light;
    return std::nullopt;
}

} // namespace

void dress(QApplication& application, ColourScheme scheme)
{
    application.setStyleSheet({}); // to replace one sheet by another takes Qt seven times as long
    QApplication::setPalette(paletteOf(scheme));
    application.setStyleSheet(styleSheetOf(scheme));
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
