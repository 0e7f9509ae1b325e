# Qt's headers and the largest of the standard library: a third to a half of the time of a source of the window.
set(standard_headers <algorithm> <array> <chrono> <cmath> <cstdint> <filesystem> <functional> <map> <memory> <optional>
    <set> <string> <string_view> <utility> <vector> <nlohmann/json.hpp>)
set(core_headers ${standard_headers} <QByteArray> <QCoreApplication> <QDateTime> <QFile> <QHash> <QJsonArray>
    <QJsonDocument> <QJsonObject> <QList> <QLocale> <QObject> <QPointer> <QRegularExpression> <QSet> <QString>
    <QStringList> <QTimer> <QVariant>)
set(widget_headers ${core_headers} <QAbstractTableModel> <QApplication> <QBoxLayout> <QCheckBox> <QComboBox> <QDialog>
    <QFrame> <QGridLayout> <QHeaderView> <QKeyEvent> <QLabel> <QLineEdit> <QMenu> <QMouseEvent> <QPainter>
    <QPlainTextEdit> <QPushButton> <QScrollArea> <QSplitter> <QStackedWidget> <QTableView> <QToolButton> <QWidget>)

trainyard_precompile(core Qt6::Core nlohmann_json::nlohmann_json HEADERS ${core_headers})
if(TRAINYARD_BUILD_APP)
    trainyard_precompile(widget Qt6::Widgets nlohmann_json::nlohmann_json HEADERS ${widget_headers})
endif()
