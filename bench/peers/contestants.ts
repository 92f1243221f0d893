import { createReadStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { runChild } from './child.ts'
import type { OwnResult } from './own-run.ts'
import type { Workload } from './workload.ts'

/** A run of one of them over one file; without `calls` where they cannot be counted alike. */
export interface Run {
  /** Of the processor, and on the clock. */
  readonly seconds: number
  readonly clock: number
  readonly calls?: number
  readonly peak?: number
  readonly warmRate?: number
}

const OWN = join(import.meta.dirname, 'peers', 'own.mjs')

const timed = ({ seconds, clock }: Run) => ({ seconds, clock })

/** What is ours, in a process of its own. */
export function own(mode: 'walk' | 'dissect', path: string): Run {
  const result = runChild(process.execPath, [OWN, mode, path])
  if (result === undefined) throw new Error('no node')
  const { calls, peak, warmRate } = JSON.parse(result.output) as OwnResult
  return { ...timed(result), calls, peak, ...(warmRate !== undefined && { warmRate }) }
}

/** The command that a user runs, with its output in a file, where the lines are counted afterwards. */
export async function ndjson(command: string, path: string): Promise<Run> {
  const folder = mkdtempSync(join(tmpdir(), 'tapdeck-ndjson-'))
  try {
    const out = join(folder, 'calls.ndjson')
    const script = '"$0" "$1" dissect --threads 1 --format ndjson "$2" > "$3"'
    const result = runChild('/bin/sh', ['-c', script, process.execPath, command, path, out])
    if (result === undefined) throw new Error('no shell')
    let calls = 0
    for await (const _ of createInterface({ input: createReadStream(out) })) calls++
    return { ...timed(result), calls }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Dissects everything once, prints a line for each answer: the cheapest that still gives calls. */
export function tshark({ tshark: { filter, fields } }: Workload, path: string): Run | undefined {
  return runChild(
    'tshark',
    [...['-n', '-r', path, '-Y', filter, '-T', 'fields'], ...fields.flatMap((field) => ['-e', field])],
    false,
  )
}

/** The same packets with all that it knows of them, as lines of JSON: what NDJSON of whole calls is to it. */
export function tsharkJson({ tshark: { filter } }: Workload, path: string): Run | undefined {
  return runChild('tshark', ['-n', '-r', path, '-Y', filter, '-T', 'ek'], false)
}

/** One thread, no rules, its usual configuration but for the log, which has that protocol alone. */
export function suricata({ suricata: kind }: Workload, path: string): Run | undefined {
  if (kind === undefined) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'tapdeck-suricata-'))
  try {
    const settings = join(folder, 'suricata.yaml')
    writeFileSync(
      settings,
      `%YAML 1.1\n---\ninclude: /etc/suricata/suricata.yaml\noutputs:\n  - eve-log:\n      enabled: yes\n      filetype: regular\n      filename: eve.json\n      types: [${kind}]\n`,
    )
    const args = [
      '-c',
      settings,
      '-r',
      path,
      '-l',
      folder,
      '-k',
      'none',
      '--runmode',
      'single',
      '-S',
      '/dev/null',
    ]
    const result = runChild('suricata', args, false)
    if (result === undefined) return undefined
    const answers = kind === 'dns' ? '"type":"answer"' : '"event_type":"http'
    const count = runChild('grep', ['-c', answers, join(folder, 'eve.json')])
    return { ...timed(result), calls: Number(count?.output) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
