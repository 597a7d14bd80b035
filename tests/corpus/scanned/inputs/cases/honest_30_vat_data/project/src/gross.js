import { rate } from './rates.js';

export const gross = (net, country, kind) => Math.round(net * (100 + rate(country, kind))) / 100;
