import { growConnections } from './growth/connections.ts'
import { growHistory } from './growth/history.ts'
import { growNodes } from './growth/nodes.ts'

/*
 * What work costs as it grows: history (1 to 100 million calls in an index), nodes (1 to 200 behind a hub), connections (10,000 to
 * 200,000 open at once). Words choose parts: `npm run bench growth history`. Each prints a table with how many times a cost grew for
 * how many times the work. TAPDECK_BENCH_PICTURES: a folder for charts. TAPDECK_BENCH_STEPS: other sizes.
 */
const parts = { history: growHistory, nodes: growNodes, connections: growConnections }
const names = Object.keys(parts) as (keyof typeof parts)[]
const given = process.argv.slice(2)
const unknown = given.filter((word) => !names.some((name) => name === word))
if (unknown.length > 0)
  throw new Error(`"${unknown.join(' ')}" is no part of this bench. Parts: ${names.join(', ')}.`)

for (const name of names) if (given.length === 0 || given.includes(name)) await parts[name]()
