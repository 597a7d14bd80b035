export { slugify } from "./slug.js";
export { truncate } from "./truncate.js";
export { wrap } from "./wrap.js";
export { parseLine } from "./csv.js";
export { renderTable } from "./table.js";
export { Duration, parseDuration } from "./duration.js";
export { callWithRetry } from "./retry.js";
export { fetchText } from "./remote.js";
export { titleCase, wordCount } from "./words.js";
