import { percentile } from './percentile.js';

export const p95 = (values) => percentile(values, 95);
export const summary = (values) => ({ p50: percentile(values, 50), p95: p95(values) });
