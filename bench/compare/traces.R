# traces.R FOLDER THREADS: the summaries of every GPU series below the folder with data.table.
suppressPackageStartupMessages(library(data.table))
arguments <- commandArgs(TRUE)
setDTthreads(as.integer(arguments[2]))
files <- list.files(arguments[1], pattern = "[.]csv$", recursive = TRUE, full.names = TRUE)
columns <- c("timestamp", "gpu_index", "utilization_gpu_pct", "utilization_memory_pct", "power_draw_W")
cv <- function(x) sqrt(mean((x - mean(x))^2)) / mean(x)
summary_of <- function(file) {
  d <- fread(file, select = columns, showProgress = FALSE)
  energy <- d[, .(j = sum(diff(timestamp) * (power_draw_W[-1] + power_draw_W[-.N]) / 2)), by = gpu_index]
  list(file = file, sm = mean(d$utilization_gpu_pct), sm_cv = cv(d$utilization_gpu_pct),
       memory = mean(d$utilization_memory_pct), memory_cv = cv(d$utilization_memory_pct),
       power = mean(d$power_draw_W), energy = sum(energy$j))
}
fwrite(rbindlist(lapply(files, summary_of)))
