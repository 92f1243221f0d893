import { createHash } from 'node:crypto'
import { z } from 'zod'
import { ApiError } from './api-error.ts'
import type { ApiServer } from './api-server.ts'
import { type JobLauncher, type JobState, LauncherAway } from './job-launcher.ts'
import { endOfPod, eventList, lastPod, podList, said, stateOfPod } from './job-pods.ts'

const MAX_TEMPLATE = 256 * 1024
const MAX_ANSWER = 4 * 1024 * 1024

const templateShape = z.looseObject({
  apiVersion: z.literal('batch/v1'),
  kind: z.literal('Job'),
  metadata: z
    .looseObject({
      /** The begin of the names of Jobs. */
      name: z.string().max(46).optional(),
      labels: z.record(z.string(), z.string()).optional(),
    })
    .optional(),
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
export class KubernetesJobs implements JobLauncher {
  readonly #api: ApiServer
  readonly #template: JobTemplate

  constructor(api: ApiServer, template: JobTemplate) {
    this.#api = api
    this.#template = template
  }

  async start(snapshot: string, name: string): Promise<void> {
    // One that ended is of an earlier attempt.
    if ((await this.state(snapshot, name)).kind === 'ended') await this.remove(snapshot, name)
    try {
      await this.#send('POST', this.#jobs, this.manifest(snapshot, name))
    } catch (error) {
      if (error instanceof ApiError && error.status === 409) return
      throw explained(error, 'create Jobs')
    }
  }

  async state(snapshot: string, name: string): Promise<JobState> {
    const job = await this.#job(snapshot, name)
    if (job === undefined) return { kind: 'ended', reason: 'the Kubernetes Job was deleted' }
    const condition = (type: string) =>
      job.status?.conditions?.find((one) => one.type === type && one.status === 'True')
    if (condition('Complete')) return { kind: 'ended', reason: 'the Kubernetes Job ended without a result' }
    const failed = condition('Failed')
    const pod = lastPod(
      await this.#list('pods', `labelSelector=job-name=${this.#name(snapshot, name)}`, podList),
    )
    if (failed) {
      const reasons = [failed.message ?? failed.reason ?? 'no reason given', pod && endOfPod(pod)]
      return { kind: 'ended', reason: `the Kubernetes Job failed: ${reasons.filter(Boolean).join('; ')}` }
    }
    return pod ? stateOfPod(pod) : { kind: 'waiting', reason: await this.#reasonForNoPod(snapshot, name) }
  }

  async remove(snapshot: string, name: string): Promise<void> {
    const body = { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background' }
    await this.#send('DELETE', `${this.#jobs}/${this.#name(snapshot, name)}`, body).catch((error) => {
      if (!(error instanceof ApiError) || error.status !== 404) throw explained(error, 'delete Jobs')
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
      metadata: { ...metadata, name: this.#name(snapshot, name), annotations },
      spec: {
        ...spec,
        template: {
          ...spec.template,
          spec: { ...spec.template.spec, containers: [{ ...first!, args }, ...others] },
        },
      },
    }
  }

  async #job(snapshot: string, name: string): Promise<z.output<typeof jobShape> | undefined> {
    try {
      return jobShape.parse(await this.#send('GET', `${this.#jobs}/${this.#name(snapshot, name)}`))
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return undefined
      throw explained(error, 'get Jobs')
    }
  }

  /** A quota or the security rules of the namespace may refuse the pod: only an event says so. */
  async #reasonForNoPod(snapshot: string, name: string): Promise<string> {
    const fields = `involvedObject.name=${this.#name(snapshot, name)},type=Warning`
    const { items } = await this.#list('events', `fieldSelector=${encodeURIComponent(fields)}`, eventList)
    const last = items.at(-1)
    return last ? `it has no pod: ${said(last)}` : 'it has no pod yet'
  }

  async #list<Shape extends z.ZodType>(kind: string, query: string, shape: Shape): Promise<z.output<Shape>> {
    const path = `/api/v1/namespaces/${this.#api.namespace}/${kind}?${query}`
    return shape.parse(
      await this.#send('GET', path).catch((error) => {
        throw explained(error, `list ${kind}`)
      }),
    )
  }

  get #jobs(): string {
    return `/apis/batch/v1/namespaces/${this.#api.namespace}/jobs`
  }

  /** The same for the same dissection, so that a hub that was started again finds its Job. */
  #name(snapshot: string, name: string): string {
    const digest = createHash('sha256').update(`${snapshot}/${name}`).digest('hex')
    return `${this.#template.metadata?.name ?? 'tapdeck-dissect'}-${digest.slice(0, 16)}`
  }

  async #send(method: string, path: string, body?: unknown): Promise<unknown> {
    try {
      return await this.#api.send(method, path, body, MAX_ANSWER)
    } catch (error) {
      if (error instanceof ApiError && error.status < 500 && error.status !== 429) throw error
      throw new LauncherAway(`the API server is not reached: ${(error as Error).message}`)
    }
  }
}

function explained(error: unknown, action: string): unknown {
  if (!(error instanceof ApiError) || !error.isRefusal) return error
  return new Error(
    `cannot ${action}: ${error.message}. The chart grants it if tap.delayedDissection.runner is kubernetes.`,
  )
}
