import { type HubEnvelope, type HubMessage, Problem, workerRequests } from '@tapdeck/api'

export type HubRequest = Extract<HubMessage, { kind: 'request' }>

/** Validates a request of the hub against its schema. Throws 400 if it is unknown or its input is invalid. */
export function readRequest(envelope: Extract<HubEnvelope, { kind: 'request' }>): HubRequest {
  const { id, request, input } = envelope
  if (!Object.hasOwn(workerRequests, request))
    throw new Problem(
      400,
      'unknown_request',
      'Unknown request: the worker is older than the hub. Upgrade the worker.',
    )
  const parsed = workerRequests[request as keyof typeof workerRequests].input.safeParse(input)
  if (parsed.success) return { kind: 'request', id, request, input: parsed.data } as HubRequest
  const [issue] = parsed.error.issues
  const where = issue?.path.join('.') || 'the input'
  throw new Problem(400, 'invalid_request', `Invalid input of "${request}": ${where}: ${issue?.message}`)
}
