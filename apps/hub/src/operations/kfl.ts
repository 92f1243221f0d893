import { compile, complete, format, KflError } from '@tapdeck/kfl'
import type { Handler } from './handler.ts'

export const listKflFields: Handler<'list_kfl_fields'> = (_input, { catalog }) => ({
  fields: catalog.fields.map(({ name, type, path, doc, example }) => ({ name, type, path, doc, example })),
})

export const checkKfl: Handler<'check_kfl'> = ({ kfl }, { catalog, now }) => {
  try {
    compile(kfl, catalog, now())
    return { valid: true, formatted: format(kfl) }
  } catch (error) {
    if (!(error instanceof KflError)) throw error
    const { message, position, length, expected, suggestion } = error
    return {
      valid: false,
      message,
      position,
      length,
      ...(expected && { expected: [...expected] }),
      ...(suggestion !== undefined && { suggestion }),
    }
  }
}

export const completeKfl: Handler<'complete_kfl'> = ({ kfl, cursor }, { catalog }) => {
  const { from, to, items } = complete(kfl, Math.min(cursor, kfl.length), catalog)
  return { from, to, items: items.map(({ label, kind, doc }) => ({ label, kind, doc })) }
}
