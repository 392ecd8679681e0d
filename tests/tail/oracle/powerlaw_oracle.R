# Expectations for tests/tail from R's poweRlaw 0.70.6 (Debian: r-cran-powerlaw), on samples made by a formula.
#     Rscript powerlaw_oracle.R
library(poweRlaw)
u <- (seq_len(300) * 0.6180339887498949) %% 1
i <- seq_len(300)
continuous <- ifelse(i %% 3 == 0, u, u^(-1 / 1.4))
whole <- ifelse(i %% 3 == 0, 1 + i %% 4, floor(4.5 * u^(-1 / 1.4) + 0.5))
show <- function(...) cat(sapply(list(...), function(x) if (is.character(x)) x else paste(format(x, digits = 10), collapse = " ")), "\n")
bent <- (-log(u))^2
judge <- function(model, others, x_min = NULL) {
  estimate <- estimate_xmin(model, xmins = x_min, xmax = Inf)
  model$setXmin(estimate)
  n <- get_ntail(model)
  show("x_min", model$getXmin(), "alpha", model$getPars(), "D", estimate$gof, "n", n, "ll", dist_ll(model))
  for (name in names(others)) {
    other <- others[[name]]$new(model$getDat())
    other$setXmin(model$getXmin())
    other$setPars(estimate_pars(other))
    vuong <- compare_distributions(model, other)
    # poweRlaw uses the standard deviation with n - 1, and the paper the one with n.
    v <- vuong$test_statistic * sqrt(n / (n - 1))
    show("  ", name, "pars", other$getPars(), "ll", dist_ll(other), "normalised", v, "p", 2 * pnorm(-abs(v)))
  }
}
judge(conpl$new(continuous), list(lognormal = conlnorm, exponential = conexp, stretched = conweibull))
judge(displ$new(whole), list(lognormal = dislnorm, exponential = disexp))
judge(conpl$new(bent), list(lognormal = conlnorm, exponential = conexp, stretched = conweibull), 0.5)
judge(displ$new(floor(20 * bent) + 1), list(lognormal = dislnorm, exponential = disexp), 5)
