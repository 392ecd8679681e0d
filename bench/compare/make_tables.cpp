// Writes the tables of the comparison, with the same bytes on every machine with this C library.
//   make_tables runs ROWS FILE    54 groups, rows in random order; columns model,gpu_count,
//                                 power_cap_w,clock_mhz,epoch,epoch_seconds,energy_j
//   make_tables tiny GROUPS FILE  ten rows per group: group_id,gpu_count,epoch_seconds
//   make_tables traces FILES ROWS FOLDER  GPU series of ROWS samples
//   make_tables boot FILE         54 groups of ten rows:
//                                 model,power_cap_w,clock_mhz,gpu_count,epoch_seconds
#include <fmt/format.h>
#include <fmt/os.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "scalelaw/base/random.hpp"

namespace {

constexpr const char* kModels[6] = {"resnet50",  "vgg16",   "inception_v3",
                                    "bert-base", "dimenet", "schnet"};
constexpr int kCaps[3] = {150, 200, 250};
constexpr int kClocks[3] = {1005, 1200, 1380};
constexpr int kGpus[10] = {2, 4, 8, 16, 32, 64, 128, 256, 424, 96};

struct Law {
  double alpha;
  double beta;
  double seconds(int gpus, double noise) const {
    return alpha * std::pow(gpus, -beta) * std::exp(noise);
  }
};

Law law_of(unsigned model, unsigned cap, unsigned clock) {
  return {(900.0 + 650.0 * model) * (1.12 - 0.06 * cap) * (1.18 - 0.09 * clock),
          0.70 + 0.045 * model + 0.004 * cap - 0.006 * clock};
}

void write_runs(long rows, const std::string& path) {
  auto out = fmt::output_file(path);
  scalelaw::RandomStream random(1);
  out.print("model,gpu_count,power_cap_w,clock_mhz,epoch,epoch_seconds,energy_j\n");
  for (long row = 0; row < rows; ++row) {
    const unsigned model = random.below(6);
    const unsigned cap = random.below(3);
    const unsigned clock = random.below(3);
    const int gpus = kGpus[random.below(9)];
    const double seconds = law_of(model, cap, clock).seconds(gpus, 0.08 * random.normal());
    const double joules = seconds * gpus * kCaps[cap] * (0.70 + 0.25 * random.uniform());
    out.print("{},{},{},{},{},{:.6f},{:.1f}\n", kModels[model], gpus, kCaps[cap], kClocks[clock],
              1 + random.below(100), seconds, joules);
  }
}

void write_tiny(long groups, const std::string& path) {
  auto out = fmt::output_file(path);
  scalelaw::RandomStream random(2);
  out.print("group_id,gpu_count,epoch_seconds\n");
  for (long group = 0; group < groups; ++group) {
    const Law law{500 + 4000 * random.uniform(), 0.6 + 0.4 * random.uniform()};
    for (const int gpus : kGpus)
      out.print("g{:06},{},{:.6f}\n", group, gpus, law.seconds(gpus, 0.05 * random.normal()));
  }
}

void write_boot(const std::string& path) {
  auto out = fmt::output_file(path);
  scalelaw::RandomStream random(3);
  out.print("model,power_cap_w,clock_mhz,gpu_count,epoch_seconds\n");
  for (unsigned group = 0; group < 54; ++group) {
    const unsigned model = group / 9, cap = group / 3 % 3, clock = group % 3;
    for (const int gpus : kGpus) {
      out.print("{},{},{},{},{:.6f}\n", kModels[model], kCaps[cap], kClocks[clock], gpus,
                law_of(model, cap, clock).seconds(gpus, 0.05 * random.normal()));
    }
  }
}

/// GPU series in the layout of MIT SuperCloud: one to eight GPUs per file, 0.1 s between samples.
void write_traces(long files, long rows, const std::string& folder) {
  for (long file = 0; file < files; ++file) {
    scalelaw::RandomStream random(4, static_cast<std::uint64_t>(file));
    const std::string part = fmt::format("{}/gpu/{:04}", folder, file % 100);
    std::filesystem::create_directories(part);
    auto out = fmt::output_file(fmt::format("{}/{}-r1-n{}.csv", part, 10000000 + file, file % 64));
    out.print(
        "timestamp,gpu_index,utilization_gpu_pct,utilization_memory_pct,memory_free_MiB,"
        "memory_used_MiB,temperature_gpu,temperature_memory,power_draw_W\n");
    const int gpus = 1 << random.below(4);
    const double level = 55 + 40 * random.uniform();
    std::uint64_t milliseconds = 1600000000000u + random.below(1000000000u);
    for (long tick = 0; tick < rows / gpus; ++tick) {
      milliseconds += 95 + random.below(11);
      for (int gpu = 0; gpu < gpus; ++gpu) {
        const int use = static_cast<int>(std::min(100.0, level + 10 * random.uniform()));
        const int memory = static_cast<int>(0.6 * level + 10 * random.uniform());
        const int used = 9000 + static_cast<int>(180 * level) + static_cast<int>(random.below(256));
        out.print("{}.{:03},{},{},{},{},{},{},{},{:.2f}\n", milliseconds / 1000,
                  milliseconds % 1000, gpu, use, memory, 32510 - used, used, 38 + random.below(25),
                  36 + random.below(25), 45 + 2 * use + 6 * random.uniform());
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string kind = argc > 2 ? argv[1] : "";
  if (kind == "runs" && argc == 4) {
    write_runs(std::atol(argv[2]), argv[3]);
  } else if (kind == "tiny" && argc == 4) {
    write_tiny(std::atol(argv[2]), argv[3]);
  } else if (kind == "traces" && argc == 5) {
    write_traces(std::atol(argv[2]), std::atol(argv[3]), argv[4]);
  } else if (kind == "boot" && argc == 3) {
    write_boot(argv[2]);
  } else {
    fmt::print(stderr,
               "usage: make_tables runs ROWS FILE | tiny GROUPS FILE | traces FILES ROWS "
               "FOLDER | boot FILE\n");
    return 2;
  }
}
