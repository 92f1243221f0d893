import { BpfError, BpfFilter } from '@tapdeck/bpf'
import { parseDuration, parsePortRange, parseSize } from '@tapdeck/units'
import { z } from 'zod'
import { durationMs } from './amount.ts'

const sizeAccepts = 'a size such as 500Mi, 1Gi or a number of bytes'

/** A size in bytes; values files may write it as a number or as a Kubernetes quantity. */
export const size = z
  .union([z.string(), z.number()])
  .refine((value) => parseSize(String(value)) !== undefined, { message: sizeAccepts })
  .meta({ accepts: sizeAccepts })

const durationAccepts = 'a duration such as 90s, 5m, 1h30m, or 0 for never'
/** A hundred years: dates much further ahead cannot be represented. */
const MAX_DURATION_MS = durationMs('36500d')
const isDuration = (text: string) => (parseDuration(text) ?? Number.POSITIVE_INFINITY) <= MAX_DURATION_MS

/** A duration with units, or 0 for never. Kept as text, so that it is shown as it was given. */
export const durationOrZero = z
  .union([z.string(), z.literal(0)])
  .transform(String)
  .refine((value) => value === '0' || isDuration(value), { message: durationAccepts })
  .meta({ accepts: durationAccepts })

/** A duration with units that is more than nothing. */
export const duration = z.string().refine(isDuration).meta({ accepts: 'a duration such as 90s, 5m, 1h30m' })

/** Lower ones are those of servers. */
const FIRST_CLIENT_PORT = 1024
/** Each one is tried before a connection fails for another reason. */
const MAX_PORTS = 1024

/** Ports from one to another; empty for none. */
export const ports = z
  .string()
  .refine((text) => {
    const range = parsePortRange(text)
    return text === '' || (range && range.first >= FIRST_CLIENT_PORT && range.last - range.first < MAX_PORTS)
  })
  .meta({ accepts: 'two ports from 1024 on such as 28864-28927, at most 1024 ports, or empty' })

/** A JavaScript regular expression, as the worker runs it. The error says what is wrong. */
export const pattern = z
  .string()
  .superRefine((text, context) => {
    try {
      new RegExp(text)
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      context.addIssue({ code: 'custom', message, params: { hasOwnMessage: true } })
    }
  })
  .meta({ accepts: 'a regular expression such as ^shop-' })

/** A BPF expression that the kernel can run; empty for none. The error says what is wrong, and where. */
export const bpfExpression = z
  .string()
  .superRefine((text, context) => {
    const reason = bpfProblem(text)
    if (reason !== undefined)
      context.addIssue({ code: 'custom', message: reason, params: { hasOwnMessage: true } })
  })
  .meta({ accepts: 'a BPF expression such as "tcp port 80 or host 10.0.0.1"' })

const SNAP_LENGTH = 262_144
const ETHERNET = 1

function bpfProblem(text: string): string | undefined {
  try {
    BpfFilter.parse(text).program(ETHERNET, SNAP_LENGTH)
    return undefined
  } catch (error) {
    if (error instanceof RangeError) return error.message
    if (!(error instanceof BpfError)) throw error
    const place = `${error.message} At character ${error.position + 1} of ${JSON.stringify(text)}`
    return error.suggestion === undefined ? place : `${place}; perhaps ${error.suggestion}`
  }
}
