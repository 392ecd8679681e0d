# One draw of the bootstraps of R's poweRlaw (Debian: r-cran-powerlaw), in seconds of processor time.
# poweRlaw's own estimate of its run time is that, multiplied by the number of draws.
#
#     Rscript tail_powerlaw.R SAMPLE.txt DRAWS discrete|continuous
library(poweRlaw)
words <- commandArgs(TRUE)
x <- scan(words[1], quiet = TRUE)
model <- if (words[3] == "discrete") displ$new(x) else conpl$new(x)
# xmax: poweRlaw looks no farther than 1e5 unless told.
estimate <- suppressMessages(estimate_xmin(model, xmax = Inf))
model$setXmin(estimate)
used <- system.time(for (i in seq_len(as.integer(words[2]))) {
  draw <- poweRlaw:::sample_p_helper(i, model, x[x < model$getXmin()])
  suppressMessages(estimate_xmin(model$getRefClass()$new(draw), xmax = Inf))
})
cat(sum(used[c("user.self", "sys.self")]) / as.integer(words[2]), "\n")
cat("xmin", model$getXmin(), "alpha", model$getPars(), "D", estimate$gof, "\n", file = stderr())
