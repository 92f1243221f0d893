import { scopeOf } from '../access/scope.ts'
import { nodeReports } from '../cluster/node-reports.ts'
import { version } from '../version.ts'
import type { Handler } from './handler.ts'

export const whoami: Handler<'whoami'> = (_input, { access }, { caller }) => ({
  name: caller.name,
  role: caller.role,
  capabilities: [...caller.capabilities],
  namespaces: caller.namespaces === '*' ? '*' : [...caller.namespaces],
  auth: { enabled: access.identifies, kind: caller.kind },
})

export const getStatus: Handler<'get_status'> = (
  _input,
  { workers, coverage, startedAt, restartNeeded, kubernetes, telemetry },
  { caller },
) => {
  const isUnscoped = scopeOf(caller) === undefined
  const { missing, excluded } = coverage
  const pending = isUnscoped ? restartNeeded() : []
  return {
    version,
    started_at: new Date(startedAt).toISOString(),
    nodes: nodeReports(workers, isUnscoped),
    ...(missing.length > 0 && { missing_nodes: missing }),
    ...(excluded.length > 0 && { excluded_nodes: excluded }),
    ...(kubernetes &&
      isUnscoped && {
        kubernetes: {
          server: kubernetes.address,
          kinds: kubernetes.status.map(({ lists: _, ...kind }) => kind),
        },
      }),
    ...(isUnscoped && telemetry.state && { telemetry: telemetry.state }),
    ...(pending.length > 0 && { restart_needed: [...pending] }),
  }
}
