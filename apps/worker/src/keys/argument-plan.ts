import { closeSync, openSync, readSync } from 'node:fs'
import type { SecretOrigin } from './key-source.ts'
import type { FoundSecret, PlannedProbe, ProbePlan, ProbeRecord } from './probe-plan.ts'
import {
  MAX_LABEL,
  type ProgramContext,
  SECRET_RECORD,
  type SecretArguments,
  secretProgram,
} from './secret-programs.ts'

const LABEL = /^[A-Z0-9_]+$/

/** For libraries with a function that is called with each secret: nothing has to be learned. */
export class ArgumentPlan implements ProbePlan {
  readonly isChanged = false
  readonly source: SecretOrigin
  readonly #offset: number
  readonly #layout: SecretArguments

  constructor(source: SecretOrigin, offset: number, layout: SecretArguments) {
    this.source = source
    this.#offset = offset
    this.#layout = layout
  }

  probes(context: ProgramContext): PlannedProbe[] {
    const program = secretProgram(context, this.#layout)
    return [{ offset: this.#offset, isReturn: false, program }]
  }

  secretsOf({ pid, isReadable, bytes }: ProbeRecord): FoundSecret[] | undefined {
    const length = bytes.readUInt32LE(SECRET_RECORD.secretLength)
    const label =
      textOf(bytes.subarray(SECRET_RECORD.label, SECRET_RECORD.label + MAX_LABEL)) || readLabel(pid, bytes)
    if (!isReadable || !LABEL.test(label)) return undefined
    const random = bytes.subarray(SECRET_RECORD.random, SECRET_RECORD.random + 32)
    return [{ label, random, secret: bytes.subarray(SECRET_RECORD.secret, SECRET_RECORD.secret + length) }]
  }
}

/** A label that was not in memory yet, when the kernel wanted to read it. Empty if the process has ended. */
function readLabel(pid: number, record: Buffer): string {
  const address = record.readBigUInt64LE(SECRET_RECORD.labelAddress)
  const length = record.readUInt32LE(SECRET_RECORD.labelLength) || MAX_LABEL
  let fd: number | undefined
  try {
    fd = openSync(`/proc/${pid}/mem`, 'r')
    const bytes = Buffer.alloc(MAX_LABEL)
    readSync(fd, bytes, 0, length, address)
    return textOf(bytes)
  } catch {
    return ''
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

function textOf(bytes: Buffer): string {
  const end = bytes.indexOf(0)
  return bytes.toString('latin1', 0, end < 0 ? bytes.length : end)
}
