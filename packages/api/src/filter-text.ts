import { z } from 'zod'

/**
 * Where a filter in an answer comes from. `kept`: a caller saved it, and it may hold values that another may not see.
 * `made`: the hub wrote it out of what this answer shows. `given`: the caller sent it with this request.
 */
export type FilterOrigin = 'kept' | 'made' | 'given'

const origins = z.registry<{ readonly origin: FilterOrigin }>()

/** THE mark of a filter in the shape of an answer. What is kept is withheld from callers who may not use it. */
export function filterText(origin: FilterOrigin) {
  return z.string().register(origins, { origin })
}

/** A filter that a caller saved. One of the two is there. */
export const keptFilter = {
  kfl: filterText('kept').optional(),
  kfl_withheld: z.string().optional().describe('Why this role is not shown the filter, where it is not'),
} as const

/** A text in the shape of an answer. In `path`, `*` is each entry of a list or a map. */
export interface TextPlace {
  readonly path: readonly string[]
  /** Undefined: it is no filter. */
  readonly origin: FilterOrigin | undefined
}

interface Inside {
  readonly shape?: Readonly<Record<string, z.ZodType>>
  readonly element?: z.ZodType
  readonly valueType?: z.ZodType
  readonly innerType?: z.ZodType
  readonly options?: readonly z.ZodType[]
  readonly out?: z.ZodType
}

/** Every text in the shape of an answer. */
export function textsIn(shape: z.ZodType, path: readonly string[] = []): readonly TextPlace[] {
  const origin = origins.get(shape)?.origin
  if (shape instanceof z.ZodString) return [{ path, origin }]
  const { shape: fields = {}, element, valueType, innerType, options = [], out } = shape.def as Inside
  const entries = [element, valueType].filter((one) => one !== undefined)
  const same = [innerType, out, ...options].filter((one) => one !== undefined)
  return [
    ...Object.entries(fields).flatMap(([name, field]) => textsIn(field, [...path, name])),
    ...entries.flatMap((entry) => textsIn(entry, [...path, '*'])),
    ...same.flatMap((one) => textsIn(one, path)),
  ]
}
