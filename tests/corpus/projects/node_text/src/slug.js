/** A heading as it may stand in an address: lower case, one dash between words, none at the ends. */
export function slugify(heading) {
  return heading.toLowerCase().replace(/[^a-z0-9]/g, "-");
}
