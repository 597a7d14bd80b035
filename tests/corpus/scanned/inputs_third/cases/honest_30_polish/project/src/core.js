export function form(count) {
  return count === 1 ? 'one' : 'many';
}
