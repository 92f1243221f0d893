import { UsageError } from '../arguments/usage-error.ts'
import { CommandFailed } from '../command-failed.ts'
import { apiReason } from '../kubernetes/api-reason.ts'
import type { Forward } from '../kubernetes/cluster-forward.ts'

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
  const { openForward } = await import('../kubernetes/cluster-client.ts')
  try {
    return await openForward({ context, port, failed, ...(typeof namespace === 'string' && { namespace }) })
  } catch (error) {
    throw new CommandFailed(apiReason(error), {
      hint: 'Check that `kubectl --context NAME get pods` works, and that you may create pods/portforward.',
    })
  }
}
