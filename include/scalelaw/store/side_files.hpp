#pragma once

#include <string>
#include <string_view>

namespace scalelaw {

/// What SQLite keeps beside a database has its name and one of these endings: the log of what is
/// not yet in it, the index of the log, and the journal.
inline constexpr std::string_view kSideEndings[] = {"-wal", "-shm", "-journal"};

/// Whether a regular file begins as such a log or journal does.
bool is_log_of_database(const std::string& path);

/// Makes sure, before a database is opened or made, that SQLite finds no file of somebody else
/// under such a name: it would take it for its own and delete it. Empty and wiped files are its
/// own.
/// @throws DataError naming the file.
void refuse_foreign_side_files(const std::string& database);

}  // namespace scalelaw
