export function camel(name) {
  return name.replace(/_/g, '');
}
