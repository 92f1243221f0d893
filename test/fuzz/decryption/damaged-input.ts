import { type Call, Dissection, type FullCall, toCallRecord } from '@tapdeck/dissect'
import { KeyStore } from '@tapdeck/tls'
import { type BuiltPacket, feed } from '@tapdeck/wire/testing'

/** Packets and a key log, one of them or both damaged. */
export interface DamagedInput {
  readonly packets: readonly BuiltPacket[]
  readonly keyLog: string
  /** The secrets arrive in the middle. */
  readonly isLate: boolean
  readonly hasTightLimits: boolean
  /** The paths of the requests that were sent. Undefined if what was encrypted is damaged too, so that it may have any. */
  readonly sent: readonly string[] | undefined
}

export interface DamagedOutcome {
  /** The paths of decrypted requests. */
  readonly paths: readonly string[]
  /** Why this input is a finding. */
  readonly problem?: string
}

const TIGHT = { body: 256, frame: 1024, probe: 512, pending: 4, total: 16 * 1024, patience: 1_000_000 }

class LateKeys extends KeyStore {
  readonly isLate = true
}

/**
 * Nothing may throw, all memory is given back, and no call is invented: a record opens only if its tag verifies, so each decrypted
 * request is one that was sent.
 */
export function tryDamagedInput(input: DamagedInput): DamagedOutcome {
  const paths: string[] = []
  const { packets, keyLog, isLate } = input
  const keys = isLate ? new LateKeys() : new KeyStore()
  let fault: unknown
  const dissection = new Dissection({
    emit: (call) => {
      const { decrypted, path } = toJson(call)
      if (decrypted === true && path !== undefined) paths.push(path)
    },
    fault: (error) => {
      fault ??= error
    },
    keys: () => keys,
    ...(input.hasTightLimits && { limits: TIGHT }),
  })
  try {
    const before = isLate ? Math.floor(packets.length / 2) : 0
    feed(dissection, packets.slice(0, before))
    keys.addKeyLog(keyLog, 'test')
    feed(dissection, packets.slice(before))
    dissection.end()
  } catch (error) {
    fault ??= error
  }
  const problem = problemOf(fault, dissection.engine.budget.used, paths, input.sent)
  return { paths, ...(problem !== undefined && { problem }) }
}

function problemOf(
  fault: unknown,
  leaked: number,
  paths: readonly string[],
  sent: readonly string[] | undefined,
): string | undefined {
  if (fault !== undefined) return fault instanceof Error ? (fault.stack ?? fault.message) : String(fault)
  if (leaked !== 0) return `${leaked} bytes leaked`
  const invented = paths.find((path) => sent?.includes(path) === false)
  return invented === undefined ? undefined : `${invented} was not sent`
}

function toJson(call: Call): FullCall {
  const { flow, side } = call
  const names = { src: flow.ends[side], dst: flow.ends[side === 0 ? 1 : 0] }
  return toCallRecord(call, names, 'node', 'test').toJSON()
}
