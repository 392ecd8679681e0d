// node runs_polars.mjs FILE: the fits of runs.sql by Polars' streaming engine. PACKAGES names the folder of the npm install.
import { createRequire } from 'node:module';
const load = createRequire(process.env.PACKAGES + '/package.json')('nodejs-polars');
const pl = load.default ?? load;
const { col } = pl;
const groups = ['model', 'power_cap_w', 'clock_mhz'];
const table = pl.scanCSV(process.argv[2])
  .select(...groups, col('gpu_count').cast(pl.Float64).log(Math.E).minus(3).as('x'), col('epoch_seconds').log(Math.E).minus(4).as('y'))
  .groupBy(groups)
  .agg(pl.len().cast(pl.Float64).as('n'), col('x').sum().as('sx'), col('y').sum().as('sy'), col('x').mul(col('x')).sum().as('xx'),
    col('x').mul(col('y')).sum().as('xy'), col('y').mul(col('y')).sum().as('yy'))
  .collectSync({ engine: 'streaming' });
let out = 'model,power_cap_w,clock_mhz,n,slope,intercept,se,r2\n';
const rows = table.toRecords().sort((a, b) => a.model < b.model ? -1 : a.model > b.model ? 1 : a.power_cap_w - b.power_cap_w || a.clock_mhz - b.clock_mhz);
for (const s of rows) {
  const sxx = s.xx - s.sx * s.sx / s.n, sxy = s.xy - s.sx * s.sy / s.n, syy = s.yy - s.sy * s.sy / s.n, b = sxy / sxx;
  out += [s.model, s.power_cap_w, s.clock_mhz, s.n, b, s.sy / s.n + 4 - b * (s.sx / s.n + 3),
    Math.sqrt((syy - sxy * b) / (s.n - 2) / sxx), sxy * b / syy].join(',') + '\n';
}
process.stdout.write(out);
