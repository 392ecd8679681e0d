# One draw of the bootstraps of R's poweRlaw (Debian: r-cran-powerlaw), in seconds of processor time.
# poweRlaw estimates its run time as this value times the number of draws.
#
#     Rscript tail_powerlaw.R SAMPLE.txt DRAWS discrete|continuous
library(poweRlaw)
words <- commandArgs(TRUE)
x <- scan(words[1], quiet = TRUE)
model <- if (words[3] == "discrete") displ$new(x) else conpl$new(x)
# xmax: by default, poweRlaw looks no farther than 1e5.
estimate <- suppressMessages(estimate_xmin(model, xmax = Inf))
model$setXmin(estimate)
used <- system.time(for (i in seq_len(as.integer(words[2]))) {
  draw <- poweRlaw:::sample_p_helper(i, model, x[x < model$getXmin()])
  suppressMessages(estimate_xmin(model$getRefClass()$new(draw), xmax = Inf))
})
cat(sum(used[c("user.self", "sys.self")]) / as.integer(words[2]), "\n")
cat("xmin", model$getXmin(), "alpha", model$getPars(), "D", estimate$gof, "\n", file = stderr())
