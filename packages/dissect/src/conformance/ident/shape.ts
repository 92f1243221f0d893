import type { Exchange } from '../../contract/dissector.ts'
import type { Shape } from '../../shape/shape.ts'
import { partsOf } from './summarize.ts'

interface View {
  readonly ports: string | undefined
  readonly status: string | undefined
  /** The system of the user, or the error. */
  readonly detail: string | undefined
  readonly user: string | undefined
}

function read({ request, response }: Exchange): View {
  const [ports] = partsOf(request ?? response)
  const [, status, detail, user] = partsOf(response)
  return { ports, status, detail, user }
}

export const shape = {
  read,
  request: {
    ports: ({ ports }) => ports,
  },
  response: {
    system: ({ status, detail }) => (status === 'USERID' ? detail : undefined),
    error: ({ status, detail }) => (status === 'USERID' ? undefined : detail),
  },
  own: {
    ports: {
      from: ({ ports }) => ports,
      type: 'string',
      doc: 'The two ports asked for',
      example: 'ident_ports == "6191, 23"',
    },
    user: {
      from: ({ user }) => user,
      type: 'string',
      doc: 'The user named in the answer',
      example: 'ident_user == "root"',
    },
  },
} as const satisfies Shape<View>
