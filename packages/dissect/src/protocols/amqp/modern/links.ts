import type { Side } from '@tapdeck/wire'
import type { FieldValue } from '../../../contract/message.ts'
import type { Allowance } from '../../../memory/budget.ts'

/** Sessions and links of one connection that are remembered. */
const MAX_SESSIONS = 1024
const MAX_LINKS = 1024
const MAX_LENGTH = 1024

interface Link {
  /** Unique between the peers for each direction: AMQP 1.0 part 2 §2.6.1. */
  readonly name: string
  readonly address: string
}

/** The links of a connection by the handles that each side gave them. */
export class Links {
  readonly #budget: Allowance
  /** Channels of the server, by which channel of the client they belong to. */
  readonly #sessions = new Map<number, number>()
  readonly #links: readonly [Map<string, Link>, Map<string, Link>] = [new Map(), new Map()]

  constructor(budget: Allowance) {
    this.#budget = budget
  }

  /** `channel` of `side` was begun in answer to `remote` of the other one. */
  begin(side: Side, channel: number, remote: number): void {
    const [server, client] = side === 1 ? [channel, remote] : [remote, channel]
    if (this.#sessions.size < MAX_SESSIONS) this.#sessions.set(server, client)
  }

  /** The client's channel. Where the begin was not seen, peers are taken to use the same number. */
  session(side: Side, channel: number): number {
    return side === 0 ? channel : (this.#sessions.get(channel) ?? channel)
  }

  end(side: Side, channel: number): void {
    const links = this.#links[side]
    for (const [key, link] of links) if (key.startsWith(`${channel} `)) this.#forget(links, key, link)
  }

  attach(side: Side, channel: number, fields: { readonly [name: string]: FieldValue }): Link {
    const receives = fields.role === true
    const sender = receives === (side === 1) ? 0 : 1
    const address = addressOf(receives ? fields.source : fields.target)
    const link = {
      name: `${sender} ${typeof fields.name === 'string' ? fields.name.slice(0, MAX_LENGTH) : ''}`,
      address: (address ?? addressOf(receives ? fields.target : fields.source) ?? '').slice(0, MAX_LENGTH),
    }
    const links = this.#links[side]
    const key = `${channel} ${fields.handle}`
    const known = links.get(key)
    if (known !== undefined) this.#forget(links, key, known)
    if (links.size < MAX_LINKS && this.#budget.take(weigh(link))) links.set(key, link)
    return link
  }

  /** Where the attach of that side was lost, the other side's tells, if it is the only one that has no partner. */
  at(side: Side, channel: number, handle: number): Link | undefined {
    const links = this.#links[side]
    const key = `${channel} ${handle}`
    const link = links.get(key)
    if (link !== undefined) return link
    const session = this.session(side, channel)
    const other = side === 0 ? 1 : 0
    const names = new Set([...links.values()].map(({ name }) => name))
    const alone = [...this.#links[other]].filter(
      ([at, { name }]) => this.session(other, Number.parseInt(at, 10)) === session && !names.has(name),
    )
    if (alone.length !== 1) return undefined
    const [[, found]] = alone
    if (links.size < MAX_LINKS && this.#budget.take(weigh(found))) links.set(key, found)
    return found
  }

  detach(side: Side, channel: number, handle: number): Link | undefined {
    const link = this.at(side, channel, handle)
    const links = this.#links[side]
    const key = `${channel} ${handle}`
    if (link !== undefined && links.has(key)) this.#forget(links, key, link)
    return link
  }

  #forget(links: Map<string, Link>, key: string, link: Link): void {
    links.delete(key)
    this.#budget.give(weigh(link))
  }
}

function weigh({ name, address }: Link): number {
  return name.length + address.length
}

/** The address in a source or target: part 3 §3.5.3, §3.5.4. */
function addressOf(terminus: FieldValue | undefined): string | undefined {
  if (typeof terminus !== 'object' || terminus === null || !('value' in terminus)) return undefined
  const { value } = terminus
  const address: unknown = Array.isArray(value) ? value[0] : undefined
  return typeof address === 'string' ? address : undefined
}
