// Writes the tables of the comparison, the same bytes on every machine with this C library.
//   make_tables runs ROWS FILE model,gpu_count,power_cap_w,clock_mhz,epoch,epoch_seconds,energy_j:
//   54 groups, rows in
//                                 random order
//   make_tables tiny GROUPS FILE  group_id,gpu_count,epoch_seconds: ten rows a group
//   make_tables boot FILE         model,power_cap_w,clock_mhz,gpu_count,epoch_seconds: 54 groups of
//   ten rows
#include <fmt/format.h>
#include <fmt/os.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
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

}  // namespace

int main(int argc, char** argv) {
  const std::string kind = argc > 2 ? argv[1] : "";
  if (kind == "runs" && argc == 4) {
    write_runs(std::atol(argv[2]), argv[3]);
  } else if (kind == "tiny" && argc == 4) {
    write_tiny(std::atol(argv[2]), argv[3]);
  } else if (kind == "boot" && argc == 3) {
    write_boot(argv[2]);
  } else {
    fmt::print(stderr, "usage: make_tables runs ROWS FILE | tiny GROUPS FILE | boot FILE\n");
    return 2;
  }
}
