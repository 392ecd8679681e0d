#include "store/sqlite.hpp"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <string>

#include "scalelaw/base/error.hpp"
#include "support/command.hpp"

namespace scalelaw {
namespace {

/// A column of any type: row 1 has bytes, 2 has none, 3 has a number, 4 has a text.
class ByteColumnTest : public testing::Test {
 protected:
  ByteColumnTest() : database_((folder_.path() / "bytes.db").string(), Database::Access::kCreate) {
    database_.run("CREATE TABLE t(id INTEGER PRIMARY KEY, bytes)");
    database_.run("INSERT INTO t VALUES(1, x'616263'), (2, x''), (3, 7), (4, 'text')");
  }
  std::string text_of(std::int64_t row) {
    column_.move_to(row);
    std::string text(column_.size(), '?');
    column_.read(text.data(), text.size(), 0);
    return text;
  }

  test::TemporaryFolder folder_;
  Database database_;
  ByteColumn column_{database_, "t", "bytes"};
};

TEST_F(ByteColumnTest, ReadsRowAfterRow) {
  EXPECT_EQ(text_of(1), "abc");
  EXPECT_EQ(text_of(2), "");
  EXPECT_EQ(text_of(4), "text");
  column_.move_to(1);
  char part[2];
  column_.read(part, 2, 1);
  EXPECT_EQ(std::string(part, 2), "bc");
}

TEST_F(ByteColumnTest, ARowThatIsNotThereAndANumberAreDamage) {
  for (const std::int64_t row : {3, 5}) {
    try {
      text_of(row);
      FAIL() << row;
    } catch (const DataError& error) {
      EXPECT_NE(std::string(error.what()).find("damaged study store: column bytes"),
                std::string::npos)
          << error.what();
    }
  }
}

// SQLite's limit on values does not apply to values that are read in parts.
TEST_F(ByteColumnTest, AValueBeyondTheLimitIsRefused) {
  sqlite3_limit(database_.handle(), SQLITE_LIMIT_LENGTH, 200'000'000);
  database_.run("INSERT INTO t VALUES(6, zeroblob(134217728)), (7, zeroblob(134217729))");
  column_.move_to(6);
  EXPECT_EQ(column_.size(), 134217728u);
  EXPECT_THROW(column_.move_to(7), DataError);
}

}  // namespace
}  // namespace scalelaw
