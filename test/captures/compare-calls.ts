import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Call, Dissection } from '@tapdeck/dissect'
import { CaptureReader } from '@tapdeck/wire'

/** The part of a golden file that must not change when its capture is made anew. */
interface Golden {
  readonly calls: readonly {
    readonly proto: string
    readonly method?: string
    readonly path?: string
    readonly status?: string | number
  }[]
}

/** What the captures of one folder say otherwise than the goldens of another; times, ports and generated names may differ. */
export function changedCalls(made: string, committed: string): string[] {
  return readdirSync(committed)
    .filter((name) => name.endsWith('.pcap'))
    .flatMap((name) => changed(join(made, name), join(committed, name.replace(/pcap$/, 'golden.json'))))
}

function changed(made: string, golden: string): string[] {
  const expected: Golden = JSON.parse(readFileSync(golden, 'utf8'))
  let calls: Call[]
  try {
    calls = dissect(made)
  } catch (error) {
    return [`${made}: ${error instanceof Error ? error.message : String(error)}`]
  }
  const before = tally(
    expected.calls.map(({ proto, method, path, status }) => line(proto, method, path, status)),
  )
  const after = tally(
    calls.map(({ protocol, summary: { method, path, status } }) => line(protocol, method, path, status)),
  )
  const differs = (one: string) =>
    !RACES.test(one) &&
    (REPEATED.test(one) ? before.has(one) !== after.has(one) : before.get(one) !== after.get(one))
  const lines = new Set([...before.keys(), ...after.keys()])
  return [...lines]
    .filter((one) => differs(one))
    .map((one) => `${made}: "${one}" ${after.get(one) ?? 0} times, ${before.get(one) ?? 0} before`)
}

function dissect(file: string): Call[] {
  const calls: Call[] = []
  const dissection = new Dissection({ emit: (call) => calls.push(call) })
  const reader = new CaptureReader(dissection, dissection.loss)
  reader.push(new Uint8Array(readFileSync(file)))
  reader.end()
  dissection.end()
  return calls
}

/** How often depends on who is faster: credit, closing, batches of records, new attempts. That they are there does not. */
const REPEATED = /^(amqp (flow|close)|kafka) /

/** A search has ended before it is abandoned, or it has not. */
const RACES = /^ldap searchRequest ou=people,dc=example,dc=org /

/** Names that a server makes up, and folders and ports of the day, are all the same. */
function line(...all: readonly (string | number | undefined)[]): string {
  // What Kafka's clients fetch together, and which attempt succeeds, is theirs to choose.
  const parts = all[0] === 'kafka' ? all.slice(0, 2) : all
  return parts
    .map((part) => String(part ?? ''))
    .join(' ')
    .replace(/amq\.gen-[\w-]+/g, 'amq.gen-…')
    .replace(/\/tmp\/[\w.-]+/g, '/tmp/…')
    .replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:…')
    .replace(/_INBOX\.[\w.]+/g, '_INBOX.…')
}

function tally(lines: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const one of lines) counts.set(one, (counts.get(one) ?? 0) + 1)
  return counts
}
