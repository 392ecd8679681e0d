COPY (WITH s AS (
    SELECT model, power_cap_w, clock_mhz, count(*) AS n, sum(x) AS sx, sum(y) AS sy, sum(x*x) AS xx, sum(x*y) AS xy, sum(y*y) AS yy
    FROM (SELECT model, power_cap_w, clock_mhz, ln(gpu_count) - 3.0::DOUBLE AS x, ln(epoch_seconds) - 4.0::DOUBLE AS y
          FROM read_csv('{file}', header=true, auto_detect=false, delim=',', quote='"', escape='"',
               columns={'model':'VARCHAR','gpu_count':'INTEGER','power_cap_w':'INTEGER','clock_mhz':'INTEGER',
                        'epoch':'INTEGER','epoch_seconds':'DOUBLE','energy_j':'DOUBLE'}))
    GROUP BY ALL),
  c AS (SELECT *, xx - sx*sx/n AS sxx, xy - sx*sy/n AS sxy, yy - sy*sy/n AS syy FROM s)
SELECT model, power_cap_w, clock_mhz, n, sxy/sxx AS slope, sy/n + 4 - sxy/sxx*(sx/n + 3) AS intercept,
       sqrt((syy - sxy*sxy/sxx)/(n-2)/sxx) AS se, sxy*sxy/sxx/syy AS r2
FROM c ORDER BY ALL) TO '/dev/stdout' (FORMAT csv, HEADER);
