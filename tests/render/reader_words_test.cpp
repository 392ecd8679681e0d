#include "render/reader_words.hpp"

#include <gtest/gtest.h>

namespace scalelaw {
namespace {

TEST(MeasuredNoun, IsThatOfATimeOnlyWhereATimeWasMeasured) {
  EXPECT_EQ(measured_noun("epoch_seconds", Response::kTime), "the time of an epoch");
  EXPECT_EQ(measured_noun("step_time_ms", Response::kTime), "the time of a step");
  EXPECT_EQ(measured_noun("energy_per_epoch_j", Response::kTime), "energy_per_epoch_j");
  EXPECT_EQ(measured_noun("final_step_loss", Response::kTime), "the loss");
}

TEST(PlaceOnScale, CountsWhatTheColumnCounts) {
  EXPECT_EQ(place_on_scale("num_gpus", 8), "8 GPUs");
  EXPECT_EQ(place_on_scale("nodes", 1), "1 node");
  EXPECT_EQ(place_on_scale("config.gpus", 2), "2 GPUs");
  EXPECT_EQ(place_on_scale("batch_size", 64), "a batch size of 64");
  EXPECT_EQ(place_on_scale("lr", 0.001), "a learning rate of 0.001");
  EXPECT_EQ(place_on_scale("size", 64), "size = 64");
  EXPECT_EQ(place_on_scale("per_device_train_batch_size", 16), "per_device_train_batch_size = 16");
}

TEST(WorkIn, IsToldByTheNameOfTheTime) {
  EXPECT_EQ(work_in("epoch_seconds"), "epoch");
  EXPECT_EQ(work_in("ms per iteration"), "iteration");
  EXPECT_EQ(work_in("wall_seconds"), "run");
  EXPECT_EQ(work_in("seconds"), "");
  EXPECT_EQ(with_article("epoch"), "an epoch");
  EXPECT_EQ(with_article("run"), "a run");
}

TEST(ResponseWords, AreThoseOfTheKindOfAResponse) {
  const auto nouns = [](const std::string& y, Kind kind, Response response) {
    const ResponseWords words = words_of(y, kind, response);
    return words.noun + ", " + words.several + ", " + std::string(words.best) + ", " +
           std::string(words.more);
  };
  EXPECT_EQ(nouns("seconds", Kind::kTime, Response::kTime), "time, times, shortest, slower");
  EXPECT_EQ(nouns("y", Kind::kOther, Response::kTime), "time, times, shortest, slower");
  EXPECT_EQ(nouns("img/s", Kind::kRate, Response::kRate), "rate, rates, highest, higher");
  EXPECT_EQ(nouns("val_loss", Kind::kLoss, Response::kTime), "loss, losses, lowest, higher");
  EXPECT_EQ(nouns("wer", Kind::kLoss, Response::kTime), "wer, values of wer, lowest, higher");
  EXPECT_EQ(nouns("accuracy", Kind::kShare, Response::kRate),
            "accuracy, values of accuracy, highest, higher");
  EXPECT_EQ(nouns("energy_j", Kind::kEnergy, Response::kTime), "energy, energies, lowest, higher");
}

}  // namespace
}  // namespace scalelaw
