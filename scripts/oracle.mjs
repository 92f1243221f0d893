import { ensureInstalled } from './ensure-installed.mjs'
import { finish, runVitest } from './suites.mjs'

/** Our dissection compared with tshark's: the suite of `test/oracle`. Without tshark it is skipped. */
await ensureInstalled()
finish(await runVitest('oracle tests', 'vitest.oracle.config.ts'))
