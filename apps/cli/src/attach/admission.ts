import type { OperationOutput } from '@tapdeck/api'
import { operations } from '@tapdeck/api'

/** What a recorder needs to join a hub. */
export type Admission = OperationOutput<'admit_recorder'>

/** Throws if the text is not what a hub returned. */
export function parseAdmission(line: string): Admission {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    throw new Error('this is no JSON')
  }
  const parsed = operations.admit_recorder.output.safeParse(value)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new Error(`${issue?.path.join('.')}: ${issue?.message}`)
}
