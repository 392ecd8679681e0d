#pragma once

#include <string>
#include <string_view>

#include "scalelaw/replay/job.hpp"

namespace scalelaw {

// A trace small enough to compute by hand. Cost per epoch at eta 0.5 with a MaxPower of 200 W:
//   size  8: 100 W 1400, 200 W 1400 (a tie: the higher limit stays)
//   size 16: 100 W 1305, 200 W 1080
//   size 32: 200 W  950 (no other limit was measured); never reaches the target
// Size 64 has no train row and size 128 no power row, so neither is feasible.
inline constexpr std::string_view kTrainHeader =
    "dataset,network,batch_size,optimizer,learning_rate,run,target_metric,target_epoch\n";
inline constexpr std::string_view kSmallTrain =
    "dataset,network,batch_size,optimizer,learning_rate,run,target_metric,target_epoch\n"
    "d,n,16,o,0.1,1,0.5,8\n"
    "d,n,8,o,0.1,1,0.5,10\n"
    "d,n,32,o,0.1,1,0.5,nan\n"
    "d,n,128,o,0.1,1,0.5,4\n"
    "d,n,8,o,0.1,1,0.25,3\n";
inline constexpr std::string_view kPowerHeader =
    "dataset,network,batch_size,optimizer,power_limit,time_per_epoch,average_power\n";
inline constexpr std::string_view kSmallPower =
    "dataset,network,batch_size,optimizer,power_limit,time_per_epoch,average_power\n"
    "d,n,8,o,100,10,80\n"
    "d,n,8,o,200,8,150\n"
    "d,n,16,o,200,6,160\n"
    "d,n,16,o,100,9,90\n"
    "d,n,32,o,200,5,180\n"
    "d,n,64,o,300,5,180\n";

inline Job small_job() {
  return {.dataset = "d",
          .network = "n",
          .optimizer = "o",
          .target_metric = 0.5,
          .max_epochs = 20,
          .default_batch_size = 16};
}

inline JobTrace join_texts(std::string_view train, std::string_view power,
                           const Job& job = small_job()) {
  return join_traces(read_train_trace(train, "train.csv"), read_power_trace(power, "power.csv"),
                     job);
}

inline JobTrace small_trace() { return join_texts(kSmallTrain, kSmallPower); }

}  // namespace scalelaw
