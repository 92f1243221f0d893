import type { Fields } from '../../contract/dissector.ts'

export const fields = {
  ident_ports: {
    type: 'string',
    path: 'ident.ports',
    doc: 'The two ports asked for',
    example: 'ident_ports == "6191, 23"',
  },
  ident_user: {
    type: 'string',
    path: 'ident.user',
    doc: 'The user named in the answer',
    example: 'ident_user == "root"',
  },
} as const satisfies Fields
