import { CommandFailed } from '../command-failed.ts'

/** Why the API server did not add a container to a pod. `reason`: its words. */
export function refusedContainer(code: number | undefined, reason: string): CommandFailed {
  const policy = /violates PodSecurity "([^":]+)/.exec(reason)?.[1]
  if (policy !== undefined)
    return new CommandFailed(`the namespace refuses the recorder: ${reason}`, {
      hint: `The Pod Security level "${policy}" admits no container with the rights of root, and without them there is no NET_RAW. Nothing was changed. Record on the nodes instead (the chart), or in a namespace with the level "baseline".`,
    })
  if (code === 403 && /cannot patch resource "pods\/ephemeralcontainers"/.test(reason))
    return new CommandFailed(`you may not add containers to pods: ${reason}`, {
      hint: 'You need the verb patch on pods/ephemeralcontainers in this namespace, which the roles admin and edit do not have. docs/kubernetes.md has a role.',
    })
  if (code === 404)
    return new CommandFailed(`the API server has no ephemeral containers: ${reason}`, {
      hint: 'They need Kubernetes 1.25 or newer; --sidecar prints a sidecar.',
    })
  return new CommandFailed(`the API server refuses the recorder: ${reason}`, {
    hint: 'Nothing was changed.',
  })
}
