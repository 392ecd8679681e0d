COPY (SELECT filename, avg(utilization_gpu_pct), stddev_pop(utilization_gpu_pct)/avg(utilization_gpu_pct),
       avg(utilization_memory_pct), stddev_pop(utilization_memory_pct)/avg(utilization_memory_pct), avg(power_draw_W)
    FROM read_csv('{file}', header=true, auto_detect=false, delim=',', quote='"', escape='"', filename=true,
         columns={'timestamp':'DOUBLE','gpu_index':'INTEGER','utilization_gpu_pct':'DOUBLE',
                  'utilization_memory_pct':'DOUBLE','memory_free_MiB':'INTEGER','memory_used_MiB':'INTEGER',
                  'temperature_gpu':'INTEGER','temperature_memory':'INTEGER','power_draw_W':'DOUBLE'})
GROUP BY filename ORDER BY filename) TO '/dev/stdout' (FORMAT csv, HEADER);
