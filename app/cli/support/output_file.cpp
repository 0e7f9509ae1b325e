#include "app/cli/support/output_file.h"

#include <filesystem>

#include <fmt/format.h>
#include <unistd.h>

#include "app/cli/support/console.h"
#include "engine/base/file.h"
#include "engine/base/standard_streams.h"
#include "engine/base/untrusted_text.h"

namespace trainyard {

namespace fs = std::filesystem;

bool isStandardOutput(const std::string& file)
{
    return file == "-";
}

Status checkOutputFile(const char* option, const std::string& file)
{
    if (file.empty() || isStandardOutput(file))
        return {};
    std::error_code error;
    if (fs::is_directory(file, error))
        return badInput(fmt::format("{}: {} is a folder", option, file), "name a file in it");
    const fs::path parent = fs::path(file).parent_path();
    const fs::path folder = parent.empty() ? fs::path(".") : parent;
    if (!fs::is_directory(folder, error))
        return badInput(fmt::format("{}: there is no folder {}", option, folder.string()),
                        "create it first, or name another one");
    if (::access(folder.c_str(), W_OK | X_OK) != 0) {
        Error error =
            systemError(ErrorKind::BadInput,
                        fmt::format("{}: cannot write to the folder {}", option, folder.string()), errno);
        error.hint = "name another one";
        return error;
    }
    return {};
}

Status checkOnePrinted(std::initializer_list<PrintedOutput> outputs)
{
    const PrintedOutput* first = nullptr;
    for (const PrintedOutput& output : outputs) {
        if (output.isPrinted && first)
            return badInput(
                fmt::format("{} and {} both print on standard output", first->option, output.option),
                "name a file for one of them");
        first = output.isPrinted ? &output : first;
    }
    return {};
}

void printFilePart(std::string_view part)
{
    static const bool isTerminal = ::isatty(STDOUT_FILENO) == 1;
    printOutput(isTerminal ? sanitizeText(part, Lines::Many) : std::string(part));
}

Status writeOutputFile(const std::string& file, std::string_view content)
{
    if (!isStandardOutput(file))
        return writeFileAtomically(fs::absolute(file), content);
    printFilePart(content);
    return {};
}

void printWritten(const std::string& file, bool otherIsPrinted)
{
    if (isStandardOutput(file))
        return;
    const QString path = QString::fromStdString(file);
    otherIsPrinted ? console::note(path) : console::print(path);
}

} // namespace trainyard
