COPY (WITH r AS (
    SELECT filename AS f, utilization_gpu_pct AS s, utilization_memory_pct AS m, power_draw_W AS p,
           (timestamp - lag(timestamp) OVER w) * (power_draw_W + lag(power_draw_W) OVER w) / 2 AS e
    FROM read_csv('{file}', header=true, auto_detect=false, delim=',', quote='"', escape='"', filename=true,
         columns={'timestamp':'DOUBLE','gpu_index':'INTEGER','utilization_gpu_pct':'DOUBLE',
                  'utilization_memory_pct':'DOUBLE','memory_free_MiB':'INTEGER','memory_used_MiB':'INTEGER',
                  'temperature_gpu':'INTEGER','temperature_memory':'INTEGER','power_draw_W':'DOUBLE'})
    WINDOW w AS (PARTITION BY filename, gpu_index ORDER BY timestamp))
SELECT f, avg(s), stddev_pop(s)/avg(s), avg(m), stddev_pop(m)/avg(m), avg(p), sum(e)
FROM r GROUP BY f ORDER BY f) TO '/dev/stdout' (FORMAT csv, HEADER);
