import type { FieldValue } from '../../contract/message.ts'
import { int16, integerAt, integerSize, textEnd } from './bytes.ts'
import { readBinary, valueEnd } from './value.ts'

const UNSIGNED = 0x8000
/** In place of a value that came before, in commands of its own. */
const SENT_AHEAD = '(sent ahead)'

/** The values of a COM_STMT_EXECUTE as text, null for NULL, as far as they were kept. */
export function readParameters(
  bytes: Uint8Array | undefined,
  fields: { readonly [name: string]: FieldValue } | undefined,
): readonly (string | null)[] | undefined {
  if (bytes === undefined) return undefined
  const named = fields?.named === true
  const count = named ? integerAt(bytes, 0) : fields?.parameters
  if (typeof count !== 'number' || count === 0 || count > 65_535) return undefined
  const nulls = named ? integerSize(bytes[0]) : 0
  let at = nulls + ((count + 7) >> 3)
  const known = Array.isArray(fields?.types) ? fields.types.filter((type) => typeof type === 'number') : []
  const types: number[] = []
  if (bytes[at++] === 1)
    for (let i = 0; i < count && at >= 0 && at + 2 <= bytes.length; i++) {
      types.push(int16(bytes, at))
      at = named ? textEnd(bytes, at + 2, bytes.length) : at + 2
    }
  else types.push(...known)
  const ahead = Array.isArray(fields?.ahead) ? fields.ahead : []
  const values: (string | null)[] = []
  for (const [index, type] of types.entries()) {
    if ((bytes[nulls + (index >> 3)] >> (index & 7)) & 1) {
      values.push(null)
      continue
    }
    if (ahead.includes(index)) {
      values.push(SENT_AHEAD)
      continue
    }
    const stop = at < 0 ? -1 : valueEnd(bytes, at, bytes.length, type & 255)
    if (stop < 0) break
    values.push(readBinary(bytes, at, stop, type & 255, (type & UNSIGNED) !== 0))
    at = stop
  }
  return values
}
