import { z } from 'zod'

const sizeUnits: Readonly<Record<string, number>> = {
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 1024,
  Mi: 1024 ** 2,
  Gi: 1024 ** 3,
  Ti: 1024 ** 4,
}

/** Kubernetes quantity notation (`500Mi`, `1Gi`, `20G`) → bytes; undefined where it is none. */
export function parseSize(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)(Ki|Mi|Gi|Ti|k|M|G|T)?B?$/.exec(text.trim())
  return match ? Math.floor(Number(match[1]) * sizeUnits[match[2] ?? '']!) : undefined
}

const sizeAccepts = 'a size such as 500Mi, 1Gi or a number of bytes'

/** A size in bytes; values files may write it as a number or as a Kubernetes quantity. */
export const size = z
  .union([z.string(), z.number()])
  .refine((value) => parseSize(String(value)) !== undefined, { message: sizeAccepts })
  .meta({ accepts: sizeAccepts })

const durationAccepts = 'a duration such as 90s, 5m, 1h30m, or 0 for never'
const durationPattern = /^(\d+(\.\d+)?(ms|s|m|h|d))+$/

/** A duration with units, or 0 for never. Kept as text, so that it is shown as it was given. */
export const durationOrZero = z
  .union([z.string(), z.literal(0)])
  .transform(String)
  .refine((value) => value === '0' || durationPattern.test(value), { message: durationAccepts })
  .meta({ accepts: durationAccepts })
