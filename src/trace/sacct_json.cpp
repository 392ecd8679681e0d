#include "trace/sacct_json.hpp"

#include "trace/json_documents.hpp"

namespace scalelaw {
namespace {

using nlohmann::json;
using enum SacctField;

std::string& json_sacct_cell(SacctCells& cells, SacctField field) {
  return cells[static_cast<std::size_t>(field)];
}

/// A number, also one that says whether it is set: {"set": true, "infinite": false, "number": 7}.
/// Empty if it is not set.
std::string number_text(const json& value) {
  if (!value.is_object()) return value.is_number() ? json_cell(value) : "";
  const bool is_number =
      json_member(value, "set") == true && json_member(value, "infinite") != true;
  return is_number ? json_cell(json_member(value, "number")) : "";
}

/// Unix seconds; 0 stands for no time.
std::string json_time_text(const json& value) {
  const std::string text = number_text(value);
  return text == "0" ? "" : text;
}

/// "COMPLETED", or the first of ["COMPLETED"].
std::string state_text(const json& value) {
  const json& current = json_member(value, "current");
  if (!current.is_array()) return json_cell(current);
  return current.empty() ? "" : json_cell(current.front());
}

/// "cpu=4,node=1,gres/gpu=2" of a list of resources. A negative amount is none.
std::string tres_text(const json& list) {
  std::string text;
  if (!list.is_array()) return text;
  for (const json& resource : list) {
    const std::string count = number_text(json_member(resource, "count"));
    if (count.empty() || count.front() == '-') continue;
    const std::string name = json_cell(json_member(resource, "name"));
    if (!text.empty()) text += ',';
    text += json_cell(json_member(resource, "type"));
    if (!name.empty()) text += '/' + name;
    text += '=' + count;
  }
  return text;
}

/// The id of a job, and of an array's task "5908801_3".
std::string job_id(const json& job) {
  const json& array = json_member(job, "array");
  const std::string whole = number_text(json_member(array, "job_id"));
  const std::string task = number_text(json_member(array, "task_id"));
  if (whole.empty() || whole == "0" || task.empty()) {
    return number_text(json_member(job, "job_id"));
  }
  return whole + '_' + task;
}

/// The name of a step: "batch" of "4.batch" or {"job_id": 4, "step_id": "batch"}.
std::string step_name(const json& step) {
  const json& id = json_member(step, "id");
  if (id.is_object()) {
    const json& name = json_member(id, "step_id");
    return name.is_string() ? json_cell(name) : number_text(name);
  }
  const std::string text = json_cell(id);
  const std::size_t dot = text.find('.');
  return dot == std::string::npos ? json_cell(json_member(step, "name")) : text.substr(dot + 1);
}

SacctCells cells_of_step(const json& step, const std::string& job) {
  SacctCells cells;
  json_sacct_cell(cells, kId) = job + '.' + step_name(json_member(step, "step"));
  const json& energy = json_member(json_member(step, "statistics"), "energy");
  json_sacct_cell(cells, kEnergyRaw) = number_text(json_member(energy, "consumed"));
  return cells;
}

/// The members of a job that are cells as they stand.
constexpr std::pair<SacctField, const char*> kTexts[] = {
    {kName, "name"},       {kPartition, "partition"}, {kCluster, "cluster"},
    {kAccount, "account"}, {kUser, "user"},           {kQos, "qos"}};

SacctJsonJob json_sacct_job(const json& job) {
  SacctJsonJob out;
  const std::string id = job_id(job);
  const auto set = [&](SacctField field, std::string text) {
    json_sacct_cell(out.job, field) = std::move(text);
  };
  const json& time = json_member(job, "time");
  set(kId, id);
  set(kRawId, number_text(json_member(job, "job_id")));
  for (const auto& [field, name] : kTexts) set(field, json_cell(json_member(job, name)));
  set(kState, state_text(json_member(job, "state")));
  set(kTres, tres_text(json_member(json_member(job, "tres"), "allocated")));
  set(kNodes, number_text(json_member(job, "allocation_nodes")));
  set(kElapsedRaw, number_text(json_member(time, "elapsed")));
  set(kSubmit, json_time_text(json_member(time, "submission")));
  set(kStart, json_time_text(json_member(time, "start")));
  set(kEnd, json_time_text(json_member(time, "end")));
  const json& nodes = json_member(job, "nodes");
  set(kNodeList, nodes.is_string() ? json_cell(nodes) : "");
  const json& steps = json_member(job, "steps");
  if (!steps.is_array()) return out;
  for (const json& step : steps) out.steps.push_back(cells_of_step(step, id));
  return out;
}

}  // namespace

bool begins_as_sacct_json(std::string_view head) {
  return has_json_keys(head, {"jobs", "job_id", "association", "tres", "allocated"});
}

std::vector<SacctJsonJob> sacct_json_jobs(std::string_view text, std::string_view source) {
  const json document = parse_json(text, source);
  std::vector<SacctJsonJob> jobs;
  const json& list = json_member(document, "jobs");
  if (!list.is_array()) return jobs;
  jobs.reserve(list.size());
  for (const json& job : list) jobs.push_back(json_sacct_job(job));
  return jobs;
}

}  // namespace scalelaw
