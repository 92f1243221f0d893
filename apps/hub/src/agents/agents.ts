import { EventEmitter } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type OperationInput, Problem } from '@tapdeck/api'
import { type Catalog, compile } from '@tapdeck/kfl'
import { NameTaken } from '@tapdeck/recording'
import { nearestNames } from '../nearest-names.ts'
import { writeFileWhole } from '../write-file-whole.ts'
import { Agent, type AgentOptions } from './agent.ts'
import type { MetricDefinition } from './agent-metric.ts'
import { type AgentRecord, storedAgents, toStored } from './agent-record.ts'
import { OwnConnections } from './own-connections.ts'

export interface AgentsOptions extends Omit<AgentOptions, 'changed' | 'own'> {
  readonly dataFolder: string
  readonly catalog: Catalog
  /** How many are active, each time that changes. */
  readonly count: (active: number) => void
}

const FILE = 'agents.json'
const MOST_AGENTS = 100
/** Each script has a thread of its own. */
const MOST_SCRIPTS = 8

/** The network agents: saved, started with the hub, and counted as activity while they watch. */
export class Agents extends EventEmitter<{ change: [] }> {
  readonly #options: AgentsOptions
  readonly #agents = new Map<string, Agent>()
  readonly #own = new OwnConnections()
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
    throw new Problem(404, 'unknown_agent', `there is no network agent "${name}"`, {
      hint: close.length > 0 ? `There is ${close.join(', ')}.` : 'There are no network agents yet.',
    })
  }

  async create(wish: OperationInput<'create_agent'>, by: string): Promise<Agent> {
    const { catalog, now } = this.#options
    compile(wish.kfl, catalog, now())
    if (this.#agents.has(wish.name)) throw new NameTaken(wish.name)
    this.#demandRoom(wish)
    const agent = this.#make({ ...wish, created_at: new Date(now()).toISOString(), created_by: by })
    this.#agents.set(wish.name, agent)
    try {
      await this.#save()
    } catch (error) {
      this.#agents.delete(wish.name)
      throw error
    }
    if (wish.enabled) agent.start()
    this.#changed()
    return agent
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
    return new Agent(record, { ...this.#options, own: this.#own, changed: () => this.#changed() })
  }

  #changed(): void {
    this.#options.count(this.list().filter(({ isActive }) => isActive).length)
    this.emit('change')
  }

  #demandRoom({ actions }: OperationInput<'create_agent'>): void {
    const all = this.list().flatMap(({ record }) => record.actions)
    const scripts = [...all, ...actions].filter(({ kind }) => kind === 'script').length
    if (this.#agents.size >= MOST_AGENTS)
      throw new Problem(409, 'too_many', `there are ${MOST_AGENTS} network agents; delete some`)
    if (scripts > MOST_SCRIPTS)
      throw new Problem(409, 'too_many', `at most ${MOST_SCRIPTS} scripts run; delete an agent with one`)
    const metrics = all.filter((action) => action.kind === 'metric')
    const own = actions.filter((action) => action.kind === 'metric')
    for (const [at, action] of own.entries()) {
      const other = metrics.find(({ name }) => name === action.name)
      if (other && !isSameMetric(other, action))
        throw new Problem(409, 'name_taken', `another agent counts "${action.name}" as another metric`)
      // Its samples would be there twice, and no reader of /metrics takes such a page.
      if (own.slice(0, at).some(({ name }) => name === action.name))
        throw new Problem(400, 'invalid_input', `actions: two of them count "${action.name}"`)
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
      throw new Error(`${file} cannot be read: move it away to start without network agents`, {
        cause: error,
      })
    }
  }
}

/** Samples of one name stand under one header: they must mean the same. */
function isSameMetric(a: MetricDefinition, b: MetricDefinition): boolean {
  return a.type === b.type && String(a.labels) === String(b.labels) && String(a.buckets) === String(b.buckets)
}
