import type { OperationInput, OperationName, OperationOutput } from '@tapdeck/api'
import type { Asked, Parts } from './parts.ts'

/** What an operation does. It throws a `Problem` where it cannot; doors and rights are none of its business. */
export type Handler<Name extends OperationName> = (
  input: OperationInput<Name>,
  parts: Parts,
  asked: Asked,
) => OperationOutput<Name> | Promise<OperationOutput<Name>>
