import { EventEmitter } from 'node:events'
import { type AgentAction, type OperationInput, Problem } from '@tapdeck/api'
import { type Catalog, compile } from '@tapdeck/kfl'
import { NameTaken } from '@tapdeck/recording'
import { Slots } from '../cluster/slots.ts'
import { nearestNames } from '../nearest-names.ts'
import { InTurn } from '../state/in-turn.ts'
import type { StateStore } from '../state/state-store.ts'
import { Agent, type AgentOptions } from './agent.ts'
import type { MetricDefinition } from './agent-metric.ts'
import { type AgentRecord, storedAgents, toStored } from './agent-record.ts'
import { OwnConnections } from './own-connections.ts'
import { ScriptStarts } from './script-starts.ts'
import { testAgent } from './test-agent.ts'
import { requireAllowedAddress } from './webhook-address.ts'

export interface AgentsOptions extends Omit<AgentOptions, 'changed' | 'failed' | 'own' | 'threads'> {
  readonly state: StateStore
  readonly catalog: Catalog
  /** How many are active, each time that changes. */
  readonly count: (active: number) => void
}

const DOCUMENT = 'agents'
const MAX_AGENTS = 100
/** Each script has a thread of its own, with a memory of its own: this bounds the memory of all. */
const MAX_SCRIPTS = 8
/** The ninth is for tests, which wait for each other. */
const MAX_THREADS = MAX_SCRIPTS + 1

/** The network agents: saved, started with the hub, and counted as activity while they watch. */
export class Agents extends EventEmitter<{ change: [] }> {
  readonly #options: AgentsOptions
  readonly #agents = new Map<string, Agent>()
  readonly #own = new OwnConnections()
  readonly #threads = new Slots(MAX_THREADS)
  readonly #starts: ScriptStarts
  readonly #testing = new Set<string>()
  readonly #changes = new InTurn()

  private constructor(options: AgentsOptions, starts: ScriptStarts) {
    super()
    this.#options = options
    this.#starts = starts
  }

  static async open(options: AgentsOptions): Promise<Agents> {
    const agents = new Agents(options, await ScriptStarts.open(options))
    for (const record of await agents.#load()) agents.#agents.set(record.name, agents.#make(record))
    await agents.#resume()
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
    return this.#changes.run(async () => {
      if (this.#agents.has(request.name)) throw new NameTaken(request.name)
      this.#requireSpace(request.actions, this.list())
      const agent = this.#make({ ...request, created_at: new Date(now()).toISOString(), created_by: by })
      if (request.enabled) await this.#begin(agent.record)
      await this.#store([...this.#records(), agent.record])
      agent.history.note('created', now(), `by ${by}`)
      this.#agents.set(request.name, agent)
      if (request.enabled) agent.start()
      this.#changed()
      return agent
    })
  }

  /** Replaces its filter or its actions. Its counters begin anew, its history goes on. */
  async update({ name, kfl, actions }: OperationInput<'update_agent'>, by: string): Promise<Agent> {
    const { now } = this.#options
    const before = this.get(name)
    const { record, history } = before
    const kept = actions?.map((action) =>
      action.kind === 'keep' ? keptAction(record, action.action) : action,
    )
    const next = { ...record, ...(kfl !== undefined && { kfl }), ...(kept && { actions: kept }) }
    await this.#requireValid(next.kfl, next.actions)
    return this.#changes.run(async () => {
      // It may have been deleted or edited while the addresses were looked up.
      if (this.#agents.get(name) !== before)
        throw new Problem(409, 'busy', `The network agent "${name}" was changed at the same time`)
      const others = this.list().filter((agent) => agent !== before)
      this.#requireSpace(next.actions, others)
      const { enabled } = before.record
      const edited = { ...next, enabled, edited_at: new Date(now()).toISOString(), edited_by: by }
      const { isActive } = before
      if (isActive) await this.#begin(edited)
      await this.#store(this.#records().map((one) => (one.name === name ? edited : one)))
      before.stop()
      const agent = new Agent(edited, this.#agentOptions, history)
      this.#agents.set(name, agent)
      history.note('edited', now(), `by ${by}`)
      if (isActive) agent.start()
      this.#changed()
      return agent
    })
  }

  /** Gives a sample call to its actions. Throws 409 while it is being tested. */
  async test(name: string, by: string) {
    const { record, history } = this.get(name)
    if (this.#testing.has(name)) throw new Problem(409, 'busy', `The network agent "${name}" is being tested`)
    this.#testing.add(name)
    try {
      const tested = await testAgent(record, { ...this.#options, own: this.#own, threads: this.#threads })
      const failed = tested.actions.filter(({ result }) => result === 'failed')
      const outcome = failed.length > 0 ? failed.map(({ detail }) => detail).join('; ') : 'no action failed'
      history.note('tested', this.#options.now(), `by ${by}: ${outcome}`)
      return tested
    } finally {
      this.#testing.delete(name)
    }
  }

  turn(name: string, on: boolean): Promise<Agent> {
    return this.#changes.run(async () => {
      const agent = this.get(name)
      if (on && !agent.isActive) await this.#begin(agent.record)
      await this.#store(this.#records().map((one) => (one.name === name ? { ...one, enabled: on } : one)))
      if (!on) agent.disable()
      else if (!agent.isActive) agent.start()
      if (!on) await this.#starts.end(name)
      this.#changed()
      return agent
    })
  }

  remove(name: string): Promise<void> {
    return this.#changes.run(async () => {
      const agent = this.get(name)
      await this.#store(this.#records().filter((one) => one.name !== name))
      agent.stop()
      this.#agents.delete(name)
      await this.#starts.end(name)
      this.#changed()
    })
  }

  async close(): Promise<void> {
    this.removeAllListeners()
    for (const agent of this.#agents.values()) agent.stop()
    await this.#starts.close()
  }

  /** Starts what is enabled, except scripts that failed or that the hub ended with. */
  async #resume(): Promise<void> {
    const { log } = this.#options
    for (const agent of this.list().filter(({ record }) => record.enabled)) {
      const { name } = agent.record
      const against = hasScript(agent.record) ? this.#starts.reasonAgainst(name) : undefined
      try {
        if (against === undefined) await this.#begin(agent.record)
        else await this.#starts.failed(name, against)
      } catch (error) {
        log.warn({ agent: name, err: error }, 'cannot store that the script of an agent is started')
      }
      if (against === undefined) agent.start()
      else {
        log.warn({ agent: name, reason: against }, 'network agent is not started')
        agent.fail(against)
      }
    }
  }

  async #begin(record: AgentRecord): Promise<void> {
    if (hasScript(record)) await this.#starts.begin(record.name)
  }

  #make(record: AgentRecord): Agent {
    return new Agent(record, this.#agentOptions)
  }

  get #agentOptions(): AgentOptions {
    return {
      ...this.#options,
      own: this.#own,
      threads: this.#threads,
      changed: () => this.#changed(),
      failed: (name, reason) => void this.#starts.failed(name, reason),
    }
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

  #records(): AgentRecord[] {
    return this.list().map(({ record }) => record)
  }

  /** Before a change is in force: what cannot be stored is refused. */
  #store(records: readonly AgentRecord[]): Promise<void> {
    return this.#options.state.write(DOCUMENT, JSON.stringify({ agents: records.map(toStored) }))
  }

  async #load(): Promise<readonly AgentRecord[]> {
    const { state } = this.#options
    try {
      const text = await state.read(DOCUMENT)
      return text === undefined ? [] : storedAgents.parse(JSON.parse(text)).agents
    } catch (error) {
      throw new Error(
        `cannot read ${DOCUMENT}.json in ${state.address}: move it away to start without network agents`,
        { cause: error },
      )
    }
  }
}

function hasScript({ actions }: AgentRecord): boolean {
  return actions.some(({ kind }) => kind === 'script')
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
