import { EventEmitter } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type AgentAction, type OperationInput, Problem } from '@tapdeck/api'
import { type Catalog, compile } from '@tapdeck/kfl'
import { NameTaken } from '@tapdeck/recording'
import { nearestNames } from '../nearest-names.ts'
import { writeFileWhole } from '../write-file-whole.ts'
import { Agent, type AgentOptions } from './agent.ts'
import type { MetricDefinition } from './agent-metric.ts'
import { type AgentRecord, storedAgents, toStored } from './agent-record.ts'
import { OwnConnections } from './own-connections.ts'
import { testAgent } from './test-agent.ts'
import { requireAllowedAddress } from './webhook-address.ts'

export interface AgentsOptions extends Omit<AgentOptions, 'changed' | 'own'> {
  readonly dataFolder: string
  readonly catalog: Catalog
  /** How many are active, each time that changes. */
  readonly count: (active: number) => void
}

const FILE = 'agents.json'
const MAX_AGENTS = 100
/** Each script has a thread of its own. */
const MAX_SCRIPTS = 8

/** The network agents: saved, started with the hub, and counted as activity while they watch. */
export class Agents extends EventEmitter<{ change: [] }> {
  readonly #options: AgentsOptions
  readonly #agents = new Map<string, Agent>()
  readonly #own = new OwnConnections()
  readonly #testing = new Set<string>()
  #saving: Promise<void> = Promise.resolve()

  private constructor(options: AgentsOptions) {
    super()
    this.#options = options
  }

  static async open(options: AgentsOptions): Promise<Agents> {
    const agents = new Agents(options)
    for (const record of await agents.#load()) {
      const agent = agents.#make(record)
      agents.#agents.set(record.name, agent)
      if (record.enabled) agent.start()
    }
    agents.#changed()
    return agents
  }

  list(): Agent[] {
    return [...this.#agents.values()]
  }

  /** Throws 404 with close names. */
  get(name: string): Agent {
    const found = this.#agents.get(name)
    if (found) return found
    const close = nearestNames(name, this.#agents.keys())
    throw new Problem(404, 'unknown_agent', `No network agent named "${name}"`, {
      hint: close.length > 0 ? `Similar names: ${close.join(', ')}.` : 'No network agents exist.',
    })
  }

  async create(request: OperationInput<'create_agent'>, by: string): Promise<Agent> {
    const { now } = this.#options
    await this.#requireValid(request.kfl, request.actions)
    if (this.#agents.has(request.name)) throw new NameTaken(request.name)
    this.#requireSpace(request.actions, this.list())
    const agent = this.#make({ ...request, created_at: new Date(now()).toISOString(), created_by: by })
    agent.history.note('created', now(), `by ${by}`)
    this.#agents.set(request.name, agent)
    try {
      await this.#save()
    } catch (error) {
      this.#agents.delete(request.name)
      throw error
    }
    if (request.enabled) agent.start()
    this.#changed()
    return agent
  }

  /** Replaces its filter or its actions. Its counters begin anew, its history goes on. */
  async update({ name, kfl, actions }: OperationInput<'update_agent'>, by: string): Promise<Agent> {
    const { now } = this.#options
    const before = this.get(name)
    const { record, history, isActive } = before
    const kept = actions?.map((action) =>
      action.kind === 'keep' ? keptAction(record, action.action) : action,
    )
    const next = { ...record, ...(kfl !== undefined && { kfl }), ...(kept && { actions: kept }) }
    await this.#requireValid(next.kfl, next.actions)
    const others = this.list().filter((agent) => agent.record.name !== name)
    this.#requireSpace(next.actions, others)
    // It may have been deleted or edited while the addresses were looked up.
    if (this.#agents.get(name) !== before)
      throw new Problem(409, 'busy', `The network agent "${name}" was changed at the same time`)
    const edited = { ...next, edited_at: new Date(now()).toISOString(), edited_by: by }
    const agent = new Agent(edited, this.#agentOptions, history)
    this.#agents.set(name, agent)
    try {
      await this.#save()
    } catch (error) {
      this.#agents.set(name, before)
      throw error
    }
    before.stop()
    history.note('edited', now(), `by ${by}`)
    if (isActive && this.#agents.get(name) === agent) agent.start()
    this.#changed()
    return agent
  }

  /** Gives a sample call to its actions. Throws 409 while it is being tested. */
  async test(name: string, by: string) {
    const { record, history } = this.get(name)
    if (this.#testing.has(name)) throw new Problem(409, 'busy', `The network agent "${name}" is being tested`)
    this.#testing.add(name)
    try {
      const tested = await testAgent(record, { ...this.#options, own: this.#own })
      const failed = tested.actions.filter(({ result }) => result === 'failed')
      const outcome = failed.length > 0 ? failed.map(({ detail }) => detail).join('; ') : 'no action failed'
      history.note('tested', this.#options.now(), `by ${by}: ${outcome}`)
      return tested
    } finally {
      this.#testing.delete(name)
    }
  }

  async turn(name: string, on: boolean): Promise<Agent> {
    const agent = this.get(name)
    if (!on) agent.disable()
    else if (!agent.isActive) agent.start()
    this.#changed()
    await this.#save()
    return agent
  }

  async remove(name: string): Promise<void> {
    this.get(name).stop()
    this.#agents.delete(name)
    this.#changed()
    await this.#save()
  }

  async close(): Promise<void> {
    this.removeAllListeners()
    for (const agent of this.#agents.values()) agent.stop()
    await this.#saving.catch(() => {})
  }

  #make(record: AgentRecord): Agent {
    return new Agent(record, this.#agentOptions)
  }

  get #agentOptions(): AgentOptions {
    return { ...this.#options, own: this.#own, changed: () => this.#changed() }
  }

  async #requireValid(kfl: string, actions: readonly AgentAction[]): Promise<void> {
    const { catalog, now } = this.#options
    compile(kfl, catalog, now())
    for (const action of actions) if (action.kind === 'webhook') await requireAllowedAddress(action.url)
  }

  #changed(): void {
    this.#options.count(this.list().filter(({ isActive }) => isActive).length)
    this.emit('change')
  }

  #requireSpace(actions: readonly AgentAction[], others: readonly Agent[]): void {
    const all = others.flatMap(({ record }) => record.actions)
    const scripts = [...all, ...actions].filter(({ kind }) => kind === 'script').length
    if (others.length >= MAX_AGENTS)
      throw new Problem(409, 'too_many', `Too many network agents (max ${MAX_AGENTS}); delete some first`)
    if (scripts > MAX_SCRIPTS)
      throw new Problem(
        409,
        'too_many',
        `Too many agents with a script (max ${MAX_SCRIPTS}); delete one first`,
      )
    const metrics = all.filter((action) => action.kind === 'metric')
    const own = actions.filter((action) => action.kind === 'metric')
    for (const [at, action] of own.entries()) {
      const other = metrics.find(({ name }) => name === action.name)
      if (other && !isSameMetric(other, action))
        throw new Problem(
          409,
          'name_taken',
          `Another agent defines the metric "${action.name}" with a different type or labels`,
        )
      // Its samples would be there twice, and no reader of /metrics takes such a page.
      if (own.slice(0, at).some(({ name }) => name === action.name))
        throw new Problem(400, 'invalid_input', `actions: duplicate metric name "${action.name}"`)
    }
  }

  /** One after the other, so that the newest list is the one that stays. */
  #save(): Promise<void> {
    const saved = this.#saving
      .catch(() => {})
      .then(() =>
        writeFileWhole(
          join(this.#options.dataFolder, FILE),
          JSON.stringify({ agents: this.list().map(({ record }) => toStored(record)) }),
        ),
      )
    this.#saving = saved
    return saved
  }

  async #load(): Promise<readonly AgentRecord[]> {
    const file = join(this.#options.dataFolder, FILE)
    try {
      return storedAgents.parse(JSON.parse(await readFile(file, 'utf8'))).agents
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
      throw new Error(`cannot read ${file}: move it away to start without network agents`, {
        cause: error,
      })
    }
  }
}

/** Samples of one name stand under one header: they must mean the same. */
function isSameMetric(a: MetricDefinition, b: MetricDefinition): boolean {
  return a.type === b.type && String(a.labels) === String(b.labels) && String(a.buckets) === String(b.buckets)
}

function keptAction({ name, actions }: AgentRecord, at: number): AgentAction {
  const action = actions[at]
  if (action) return action
  throw new Problem(400, 'invalid_input', `actions: "${name}" has no action number ${at}; the first is 0`)
}
