import { ensureInstalled } from './ensure-installed.mjs'
import { runVitest, sumLine } from './suites.mjs'

/** Our dissection beside tshark's: the suite of `test/oracle`. Without tshark it is skipped. */
await ensureInstalled()
const counts = await runVitest('oracle tests', 'vitest.oracle.config.ts')
process.stdout.write(`${sumLine(counts)}\n`)
process.exitCode = counts.failed > 0 ? 1 : 0
