import { createHash } from 'node:crypto'
import { z } from 'zod'
import { ApiError } from './api-error.ts'
import type { ApiServer } from './api-server.ts'

const MAX_TEMPLATE = 256 * 1024
const MAX_ANSWER = 4 * 1024 * 1024

const templateShape = z.looseObject({
  apiVersion: z.literal('batch/v1'),
  kind: z.literal('Job'),
  metadata: z.looseObject({ labels: z.record(z.string(), z.string()).optional() }).optional(),
  spec: z.looseObject({
    template: z.looseObject({
      spec: z.looseObject({ containers: z.array(z.looseObject({ name: z.string() })).min(1) }),
    }),
  }),
})

export type JobTemplate = z.output<typeof templateShape>

const jobShape = z.object({
  status: z
    .object({
      conditions: z
        .array(
          z.object({
            type: z.string(),
            status: z.string(),
            reason: z.string().nullish(),
            message: z.string().nullish(),
          }),
        )
        .nullish(),
    })
    .nullish(),
})

/** Reads the template of a Job, as the chart writes it. Throws where it is none. */
export function parseJobTemplate(value: unknown, file: string): JobTemplate {
  const parsed = templateShape.safeParse(value)
  if (parsed.success && JSON.stringify(value).length <= MAX_TEMPLATE) return parsed.data
  throw new Error(
    `tap.delayedDissection.jobTemplate: ${file} is no Job of batch/v1: ${parsed.error?.issues[0]?.message ?? 'it is too large'}`,
  )
}

/** Runs `tapdeck dissect-job` as Jobs of the hub's own namespace, each made from a template. */
export class KubernetesJobs {
  readonly #api: ApiServer
  readonly #template: JobTemplate

  constructor(api: ApiServer, template: JobTemplate) {
    this.#api = api
    this.#template = template
  }

  async start(snapshot: string, name: string): Promise<void> {
    // One that ended is of an earlier attempt.
    if ((await this.failure(snapshot, name)) !== undefined) await this.remove(snapshot, name)
    try {
      await this.#send('POST', '', this.manifest(snapshot, name))
    } catch (error) {
      if (error instanceof ApiError && error.status === 409) return
      throw explained(error, 'create')
    }
  }

  async failure(snapshot: string, name: string): Promise<string | undefined> {
    try {
      const job = jobShape.parse(await this.#send('GET', `/${jobName(snapshot, name)}`))
      const failed = (job.status?.conditions ?? []).find(
        ({ type, status }) => type === 'Failed' && status === 'True',
      )
      return failed && `the Kubernetes Job failed: ${failed.message ?? failed.reason ?? 'no reason given'}`
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return 'the Kubernetes Job was deleted'
      throw explained(error, 'get')
    }
  }

  async remove(snapshot: string, name: string): Promise<void> {
    const body = { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background' }
    await this.#send('DELETE', `/${jobName(snapshot, name)}`, body).catch((error) => {
      if (!(error instanceof ApiError) || error.status !== 404) throw explained(error, 'delete')
    })
  }

  /** The Job of a dissection: the template with a name, and the command of its first container. */
  manifest(snapshot: string, name: string): JobTemplate {
    const { metadata, spec } = this.#template
    const [first, ...others] = spec.template.spec.containers
    const args = ['dissect-job', snapshot, name, '--requested']
    const annotations = { 'tapdeck/dissection': `${snapshot}/${name}` }
    return {
      ...this.#template,
      metadata: { ...metadata, name: jobName(snapshot, name), annotations },
      spec: {
        ...spec,
        template: {
          ...spec.template,
          spec: { ...spec.template.spec, containers: [{ ...first!, args }, ...others] },
        },
      },
    }
  }

  #send(method: string, path: string, body?: unknown): Promise<unknown> {
    const jobs = `/apis/batch/v1/namespaces/${this.#api.namespace}/jobs${path}`
    return this.#api.send(method, jobs, body, MAX_ANSWER)
  }
}

/** The same for the same dissection, so that a hub that was started again finds its Job. */
function jobName(snapshot: string, name: string): string {
  const digest = createHash('sha256').update(`${snapshot}/${name}`).digest('hex')
  return `tapdeck-dissect-${digest.slice(0, 16)}`
}

function explained(error: unknown, verb: string): unknown {
  if (!(error instanceof ApiError) || !error.isRefusal) return error
  return new Error(
    `cannot ${verb} Jobs: ${error.message}. The chart grants it if tap.delayedDissection.runner is kubernetes.`,
  )
}
