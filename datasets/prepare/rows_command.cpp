#include "datasets/prepare/commands.h"

#include <filesystem>
#include <memory>

#include "datasets/input/table_file.h"
#include "engine/base/command_line.h"

namespace trainyard {

Command addRowsCommand(CLI::App& app)
{
    auto file = std::make_shared<std::filesystem::path>();
    CLI::App* command =
        app.add_subcommand("rows", "print the rows of a Parquet or Arrow file as JSON lines; times are "
                                   "seconds since 1970");
    command->add_option("FILE", *file, "the table")->required();
    const auto print = [](std::string_view object, std::size_t) {
        printOutput(std::string(object) + '\n');
        return Status();
    };
    return {command, [file, print] { return readTableObjects(*file, print); }};
}

} // namespace trainyard
