import type { Fields } from '../../contract/dissector.ts'

/** Its calls have the fields of HTTP and of HTTP/2. */
export const fields = {} as const satisfies Fields
