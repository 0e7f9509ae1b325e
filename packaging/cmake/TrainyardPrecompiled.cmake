# Qt's headers and the largest of the standard library take a third to a half of the time of a source of the window:
# compiled once here and reused by every Qt library and test, which therefore have one level of optimisation.
# Sources still include what they use (-DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON compiles them so).
set(standard_headers <algorithm> <array> <chrono> <cmath> <cstdint> <filesystem> <functional> <map> <memory> <optional>
    <set> <string> <string_view> <utility> <vector> <nlohmann/json.hpp>)
set(core_headers ${standard_headers} <QByteArray> <QCoreApplication> <QDateTime> <QFile> <QHash> <QJsonArray>
    <QJsonDocument> <QJsonObject> <QList> <QLocale> <QObject> <QPointer> <QRegularExpression> <QSet> <QString>
    <QStringList> <QTimer> <QVariant>)
set(widget_headers ${core_headers} <QAbstractTableModel> <QApplication> <QBoxLayout> <QCheckBox> <QComboBox> <QDialog>
    <QFrame> <QGridLayout> <QHeaderView> <QKeyEvent> <QLabel> <QLineEdit> <QMenu> <QMouseEvent> <QPainter>
    <QPlainTextEdit> <QPushButton> <QScrollArea> <QSplitter> <QStackedWidget> <QTableView> <QToolButton> <QWidget>)

function(trainyard_precompiled name link)
    add_library(${name} OBJECT EXCLUDE_FROM_ALL "${CMAKE_BINARY_DIR}/empty.cpp")
    target_link_libraries(${name} PRIVATE trainyard_options nlohmann_json::nlohmann_json ${link})
    target_compile_options(${name} PRIVATE ${TRAINYARD_LIGHT_OPTIONS})
    target_precompile_headers(${name} PRIVATE ${ARGN})
endfunction()

file(WRITE "${CMAKE_BINARY_DIR}/empty.cpp" "")
trainyard_precompiled(trainyard_core_pch Qt6::Core ${core_headers})
if(TRAINYARD_BUILD_APP)
    trainyard_precompiled(trainyard_widget_pch Qt6::Widgets ${widget_headers})
endif()
