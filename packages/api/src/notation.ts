import { parseDuration, parseSize } from '@tapdeck/units'
import { z } from 'zod'

/** No date lies later (ECMA-262, 21.4.1.1): such a time could be stored, but not be formatted. */
const LAST_MS = 8.64e15

/** Unix milliseconds or RFC 3339 → Unix milliseconds; undefined where it is neither. */
export function parseTime(text: string): number | undefined {
  if (/^\d{1,16}(\.\d+)?$/.test(text)) return Number(text) > LAST_MS ? undefined : Number(text)
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})$/i.test(text)) return undefined
  const time = Date.parse(text)
  const [year, month, day] = text.slice(0, 10).split('-').map(Number)
  // The 31st of February is taken for a day in March otherwise.
  const exists = day! <= new Date(Date.UTC(year!, month!, 0)).getUTCDate()
  return Number.isNaN(time) || !exists ? undefined : time
}

/** Larger values have no practical difference; these can still be written without an exponent and added to a date. */
const DURATIONS = { shortest: 1, longest: 1_000_000 * 86_400_000 }

export const duration = z.string().transform((text, context) => {
  const ms = parseDuration(text)
  if (ms !== undefined && ms > 0) return Math.min(Math.max(ms, DURATIONS.shortest), DURATIONS.longest)
  context.addIssue({
    code: 'custom',
    message: `"${text.slice(0, 80)}" is no duration: write 90s, 30m, 1h, 1h30m or 2d`,
  })
  return z.NEVER
})

const timeForm = z.union([z.string(), z.number()], 'expected Unix milliseconds or RFC 3339 UTC')

/** Nothing was captured in early 1970, which is what the seconds of today are as milliseconds. */
const isSeconds = (ms: number) => ms >= 1e9 && ms < 1e10

export const time = timeForm.transform((value, context) => {
  const ms = typeof value === 'string' ? parseTime(value) : value >= 0 && value <= LAST_MS ? value : undefined
  const plain = typeof value === 'number' || !value.includes('-')
  const seconds = ms !== undefined && plain && isSeconds(ms)
  if (ms !== undefined && !seconds) return ms
  context.addIssue({
    code: 'custom',
    message: seconds
      ? `${value} counts seconds; times are Unix milliseconds: write ${Math.round(ms * 1000)}`
      : `"${String(value).slice(0, 80)}" is no time: write Unix milliseconds or RFC 3339 UTC`,
  })
  return z.NEVER
})

/** Names of snapshots and dissections: they become paths and query values, so they are kept plain. */
export const thingName = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9._-]{0,63}$/,
    'a name is 1 to 64 of a-z 0-9 . _ - and begins with a letter or digit',
  )

/** `500Mi`, `1Gi`, `1500000` → bytes. */
export const size = z
  .union([z.string(), z.number()], 'expected 500Mi, 1Gi or a number of bytes')
  .transform((value, context) => {
    const bytes = parseSize(String(value)) ?? 0
    if (bytes > 0 && Number.isSafeInteger(bytes)) return bytes
    context.addIssue({
      code: 'custom',
      message: `"${String(value).slice(0, 80)}" is no size: write 500Mi, 1Gi or a number of bytes`,
    })
    return z.NEVER
  })
