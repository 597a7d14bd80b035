const memo = [];

export function catalan(n) {
  if (!Number.isInteger(n) || n < 0) throw new RangeError('n');
  for (let m = memo.length; m <= n; m++) {
    let total = 0;
    for (let i = 0; i < m; i++) total += memo[i] * memo[m - 1 - i];
    memo.push(total);
  }
  return BigInt(memo[n]);
}
