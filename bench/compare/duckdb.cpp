// duckdb QUERY.sql THREADS FILE: one query through DuckDB's C interface from a cold process, its
// fastest case. FILE replaces {file} in the query. It links with libduckdb.so of the npm package
// @duckdb/node-bindings-linux-x64, which has no header; this is why functions are declared here.
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>

extern "C" {
struct duckdb_result {
  std::uint64_t deprecated[3];
  void* columns;
  char* error;
  void* internal;
};
int duckdb_create_config(void** config);
int duckdb_set_config(void* config, const char* name, const char* value);
int duckdb_open_ext(const char* path, void** database, void* config, char** error);
int duckdb_connect(void* database, void** connection);
int duckdb_query(void* connection, const char* query, duckdb_result* result);
const char* duckdb_result_error(duckdb_result* result);
}

int main(int argc, char** argv) {
  if (argc != 4) return std::fprintf(stderr, "usage: duckdb QUERY.sql THREADS FILE\n"), 2;
  std::ostringstream text;
  text << std::ifstream(argv[1]).rdbuf();
  std::string query = text.str();
  const std::string mark = "{file}";
  query.replace(query.find(mark), mark.size(), argv[3]);
  void* config = nullptr;
  void* database = nullptr;
  void* connection = nullptr;
  char* error = nullptr;
  duckdb_create_config(&config);
  duckdb_set_config(config, "threads", argv[2]);
  if (duckdb_open_ext(nullptr, &database, config, &error) != 0)
    return std::fprintf(stderr, "%s\n", error), 1;
  duckdb_connect(database, &connection);
  duckdb_result result{};
  if (duckdb_query(connection, query.c_str(), &result) != 0) {
    return std::fprintf(stderr, "%s\n", duckdb_result_error(&result)), 1;
  }
  return 0;
}
