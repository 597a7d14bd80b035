// Node imports a reporter as a module; what was made at start-up is in the other module system.
import { createRequire } from 'node:module';

export default createRequire(import.meta.url)('./node_test_reporter.cjs');
