import type { OperationInput, OperationName, OperationOutput } from '@tapdeck/api'
import type { HubServices } from './hub-services.ts'
import type { RequestContext } from './request-context.ts'

/** What an operation does. It throws a `Problem` on failure. Interfaces and capabilities are checked before. */
export type Handler<Name extends OperationName> = (
  input: OperationInput<Name>,
  services: HubServices,
  context: RequestContext,
) => OperationOutput<Name> | Promise<OperationOutput<Name>>
