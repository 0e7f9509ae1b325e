#include "app/base/theme.h"

#include <array>
#include <cmath>

#include <QFile>

namespace trainyard {

namespace {

const ThemeColours kLight{
    .scheme = ColourScheme::Light,
    .window = 0xF7F8FA,
    .panel = 0xFFFFFF,
    .raised = 0xEEF1F4,
    .border = 0xDDE1E6,
    .grid = 0xE9ECF0,
    .text = 0x1B1F24,
    .muted = 0x5F6B7A,
    .accent = 0x2F6FED,
    .accentText = 0x245FD3,
    .accentTint = 0xE8F0FE,
    .onAccent = 0xFFFFFF,
    .good = 0x1E8E5A,
    .goodText = 0x17754A,
    .goodTint = 0xE6F4EC,
    .warning = 0xB7791F,
    .warningText = 0x8A5A12,
    .warningTint = 0xFCF3DF,
    .bad = 0xC93C37,
    .badText = 0xB6302C,
    .badTint = 0xFDECEB,
};

const ThemeColours kDark{
    .scheme = ColourScheme::Dark,
    .window = 0x15181D,
    .panel = 0x1D2127,
    .raised = 0x272C34,
    .border = 0x2E343C,
    .grid = 0x282D35,
    .text = 0xE6E9ED,
    .muted = 0x9AA5B1,
    .accent = 0x6EA1FF,
    .accentText = 0x84AFFF,
    .accentTint = 0x1E2B45,
    .onAccent = 0x0E1420,
    .good = 0x4CC38A,
    .goodText = 0x4CC38A,
    .goodTint = 0x17302A,
    .warning = 0xE3B341,
    .warningText = 0xE3B341,
    .warningTint = 0x352C17,
    .bad = 0xFF7B72,
    .badText = 0xFF857C,
    .badTint = 0x3A2021,
};

// Okabe and Ito's set; yellow and grey are toned so that a line shows on the panel of either scheme.
constexpr std::array<QRgb, 8> kLightSeries{0x0072B2, 0xD98200, 0x009E73, 0xC2609A,
                                           0x3FA0DB, 0xD55E00, 0xA89B00, 0x7A828C};
constexpr std::array<QRgb, 8> kDarkSeries{0x4DA3E0, 0xF0A63C, 0x2FC297, 0xE08FBE,
                                          0x7CCBF7, 0xF2793B, 0xEFE05A, 0xA2ABB5};
constexpr std::array kDashes{Qt::SolidLine, Qt::DashLine, Qt::DotLine, Qt::DashDotLine};

enum SeriesColour { Blue, Orange, Green, Pink, Sky, Vermilion, Yellow, Grey };

QColor seriesColour(ColourScheme scheme, std::size_t index)
{
    return scheme == ColourScheme::Dark ? kDarkSeries[index] : kLightSeries[index];
}

double linear(double channel)
{
    return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
}

double luminance(const QColor& colour)
{
    return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) +
           0.0722 * linear(colour.blueF());
}

QString nameOf(ColourScheme scheme)
{
    return scheme == ColourScheme::Dark ? QStringLiteral("dark") : QStringLiteral("light");
}

} // namespace

const ThemeColours& coloursOf(ColourScheme scheme)
{
    return scheme == ColourScheme::Dark ? kDark : kLight;
}

const ThemeColours& coloursOf(const QPalette& palette)
{
    // A style sheet changes window and text of single widgets, but never the colour of links.
    const QColor link = palette.color(QPalette::Active, QPalette::Link);
    for (const ThemeColours* colours : {&kLight, &kDark}) {
        if (link == colours->accentText)
            return *colours;
    }
    return luminance(palette.color(QPalette::Active, QPalette::Window)) < 0.2 ? kDark : kLight;
}

QPalette paletteOf(ColourScheme scheme)
{
    const ThemeColours& c = coloursOf(scheme);
    QPalette palette(c.text, c.panel, c.border, c.border, c.border, c.text, c.onAccent, c.panel, c.window);
    palette.setColor(QPalette::AlternateBase, c.window);
    palette.setColor(QPalette::Highlight, c.accent);
    palette.setColor(QPalette::HighlightedText, c.onAccent);
    palette.setColor(QPalette::Link, c.accentText);
    palette.setColor(QPalette::LinkVisited, c.accentText);
    palette.setColor(QPalette::ToolTipBase, c.raised);
    palette.setColor(QPalette::ToolTipText, c.text);
    palette.setColor(QPalette::PlaceholderText, c.muted);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        palette.setColor(QPalette::Disabled, role, c.muted);
    return palette;
}

QString styleSheetOf(ColourScheme scheme)
{
    QFile file(QStringLiteral(":/trainyard/themes/trainyard.qss"));
    if (!file.open(QIODevice::ReadOnly))
        return {};
    QString sheet = QString::fromUtf8(file.readAll());
    const ThemeColours& c = coloursOf(scheme);
    // Longer names first: "@accent" is the beginning of "@accentText".
    const std::pair<const char*, QColor> colours[] = {
        {"@accentText", c.accentText},
        {"@accentTint", c.accentTint},
        {"@warningText", c.warningText},
        {"@warningTint", c.warningTint},
        {"@goodText", c.goodText},
        {"@goodTint", c.goodTint},
        {"@badText", c.badText},
        {"@badTint", c.badTint},
        {"@onAccent", c.onAccent},
        {"@accent", c.accent},
        {"@warning", c.warning},
        {"@good", c.good},
        {"@bad", c.bad},
        {"@window", c.window},
        {"@panel", c.panel},
        {"@raised", c.raised},
        {"@border", c.border},
        {"@grid", c.grid},
        {"@text", c.text},
        {"@muted", c.muted},
    };
    sheet.replace(QLatin1String("@scheme"), nameOf(scheme));
    for (const auto& [name, colour] : colours)
        sheet.replace(QLatin1String(name), colour.name());
    return sheet;
}

SeriesStyle seriesStyle(ColourScheme scheme, int index)
{
    const auto i = static_cast<std::size_t>(index);
    return {seriesColour(scheme, i % kLightSeries.size()), kDashes[i / kLightSeries.size() % kDashes.size()]};
}

QColor colourOf(MemoryCategory category, ColourScheme scheme)
{
    // In the order of MemoryCategory.
    constexpr std::array<SeriesColour, kMemoryCategories> kColours{Blue, Orange, Green, Pink,
                                                                   Sky,  Yellow, Grey,  Vermilion};
    return seriesColour(scheme, kColours[static_cast<std::size_t>(category)]);
}

QColor colourOf(CommonCause cause, ColourScheme scheme)
{
    // In the order of CommonCause; input and offload have the colour of the memory that they fill.
    constexpr std::array<SeriesColour, kCommonCauses> kColours{Blue,      Orange, Pink,   Sky,
                                                               Vermilion, Green,  Yellow, Grey};
    return seriesColour(scheme, kColours[static_cast<std::size_t>(cause)]);
}

QColor freeMemoryColour(ColourScheme scheme)
{
    return coloursOf(scheme).border;
}

double contrast(const QColor& a, const QColor& b)
{
    const double la = luminance(a);
    const double lb = luminance(b);
    return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

} // namespace trainyard
