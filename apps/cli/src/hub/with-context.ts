import { UsageError } from '../arguments/usage-error.ts'
import { CommandFailed } from '../command-failed.ts'
import type { Forward } from './cluster-forward.ts'

interface ContextOptions {
  readonly context?: unknown
  readonly namespace?: unknown
  readonly url?: unknown
}

/** Opens the way to the hub of a cluster. The client of Kubernetes is large, and only loaded for this. */
export async function forwardTo(
  { context, namespace, url }: ContextOptions,
  port: number,
  failed: (reason: string) => void,
): Promise<Forward> {
  if (typeof context !== 'string')
    throw new UsageError('expected --context NAME, a context of the kubeconfig')
  if (url !== undefined) throw new UsageError('--context and --url exclude each other')
  const { openForward } = await import('./cluster-forward.ts')
  try {
    return await openForward({ context, port, failed, ...(typeof namespace === 'string' && { namespace }) })
  } catch (error) {
    throw new CommandFailed(describe(error), {
      hint: 'Check that `kubectl --context NAME get pods` works, and that you may create pods/portforward.',
    })
  }
}

function describe(error: unknown): string {
  const { body, message, cause } = (error ?? {}) as { body?: unknown; message?: unknown; cause?: unknown }
  if (typeof body === 'string') {
    try {
      const { message: reason } = JSON.parse(body) as { message?: unknown }
      if (typeof reason === 'string') return reason
    } catch {
      // The message below says it.
    }
  }
  const reason = cause instanceof Error ? `: ${cause.message}` : ''
  return `${typeof message === 'string' ? message : String(error)}${reason}`
}
