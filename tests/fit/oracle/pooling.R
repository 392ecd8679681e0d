# Prints what tests/fit/pooling_test.cpp expects: lm with one sigma for all groups, lme4's REML fit of random slopes
# beside fixed intercepts, and intervals of single groups by numerical integration over what is not known of tau.
#
#     Rscript tests/fit/oracle/pooling.R
#
# R 4.2.2, lme4 1.1.31.
suppressMessages(library(lme4))
options(digits = 13)
runs <- read.csv(text = "g,n,t,w
a,1,100.4747,3
a,2,69.2636,0.5
a,4,41.7922,1
a,8,27.1898,0.5
b,1,39.9142,0.5
b,2,25.3612,0.5
b,4,13.8089,2
b,8,9.7017,2
b,16,5.8209,1
c,2,451.6464,1
c,4,265.3033,1
c,8,144.6561,3
c,16,69.5039,3
d,1,80.5449,0.5
d,8,16.3581,1
e,4,4.5156,0.5
e,8,2.5894,0.5
e,8,2.6683,0.5
e,32,0.8733,0.5
e,64,0.5689,2
e,128,0.3144,2
f,1,295.3513,0.5
f,4,143.7447,0.5
f,16,74.1294,3
f,64,28.0253,3")
runs$x <- -log(runs$n)

cat("--pool scatter\n")
fit <- lm(log(t) ~ 0 + g + g:x, runs)
cat("sigma", summary(fit)$sigma, "dof", fit$df.residual, "\n")
print(confint(fit))
cat("--pool scatter --weights w\n")
weighted <- lm(log(t) ~ 0 + g + g:x, runs, weights = w)
cat("sigma", summary(weighted)$sigma, "\n")
print(confint(weighted)[7:12, ])
scattering <- split(runs[runs$g != "d", ], runs$g[runs$g != "d"])
print(unlist(bartlett.test(lapply(scattering, function(d) lm(log(t) ~ x, d)))[1:3]))

cat("--pool slopes\n")
mixed <- lmer(log(t) ~ 0 + g + x + (0 + x | g), runs, REML = TRUE,
              control = lmerControl(optimizer = "bobyqa", optCtrl = list(rhoend = 1e-15, maxfun = 1e6)))
cat("sigma", sigma(mixed), "tau", attr(VarCorr(mixed)$g, "stddev"), "mean", fixef(mixed)["x"], "\n")
print(fixef(mixed)["x"] + ranef(mixed)$g$x)
print(anova(lm(log(t) ~ g + x, runs), lm(log(t) ~ g * x, runs)))

# The posterior of tau / sigma under a flat prior of tau, by adaptive quadrature.
lines <- lapply(split(runs, runs$g), function(d) {
  own <- lm(log(t) ~ x, d)
  list(beta = coef(own)[["x"]], spread = sum((d$x - mean(d$x))^2), rss = sum(resid(own)^2), dof = own$df.residual,
       g = mean(d$x), y = mean(log(d$t)), n = nrow(d))
})
of <- function(name) sapply(lines, `[[`, name)
beta <- of("beta"); spread <- of("spread"); rss <- sum(of("rss")); nu <- sum(of("dof")) + length(lines) - 2
at <- function(s) {
  w <- spread / (1 + s^2 * spread)
  mean <- sum(w * beta) / sum(w)
  squares <- rss + sum(w * (beta - mean)^2)
  list(mean = mean, precision = sum(w), variance = squares / nu, share = s^2 * w,
       log_density = -0.5 * (sum(log1p(s^2 * spread)) + log(sum(w)) + nu * log(squares)))
}
peak <- max(sapply(seq(0, 20, 0.01), function(s) at(s)$log_density))
over <- function(f) integrate(Vectorize(function(z) {  # s = z / (1 - z)
  s <- z / (1 - z); here <- at(s)
  exp(here$log_density - peak) * f(here) / (1 - z)^2
}), 0, 1, rel.tol = 1e-11, subdivisions = 2000)$value
total <- over(function(here) 1)
interval <- function(g, distance, with_mean) {
  cdf <- function(q) over(function(here) {
    share <- here$share[[g]]
    location <- distance * (here$mean + share * (beta[[g]] - here$mean))
    variance <- here$variance * (distance^2 * (share / spread[[g]] + (1 - share)^2 / here$precision) +
                                   with_mean / lines[[g]]$n)
    pt((q - location) / sqrt(variance), nu)
  }) / total
  sapply(c(0.025, 0.975), function(p) uniroot(function(q) cdf(q) - p, distance * beta[[g]] + c(-2, 2), tol = 1e-12)$root)
}
for (g in names(lines)) cat(g, "beta", interval(g, 1, 0), "ln alpha", lines[[g]]$y + interval(g, -lines[[g]]$g, 1), "\n")

cat("predict --pool scatter --at 16\n")
new <- data.frame(g = c("a", "d"), x = -log(16))
print(exp(predict(fit, new, interval = "confidence")))
print(exp(predict(fit, new, interval = "prediction")))
