// Vitest loads reporters through its own module system; what was made at start-up is in node's.
import { createRequire } from 'node:module';

export default createRequire(import.meta.url)('./vitest_reporter.cjs');
