import { type Capability, isRoleName, type RoleName, roles } from '@tapdeck/api'
import type { Config } from '@tapdeck/config'

export interface Role {
  readonly name: string
  readonly capabilities: readonly Capability[]
  readonly namespaces: '*' | readonly string[]
}

class UnknownRole extends Error {
  override readonly name = 'UnknownRole'

  constructor(given: string, known: readonly string[]) {
    super(`tap.auth.defaultRole: unknown role ${JSON.stringify(given)}; known roles: ${known.join(', ')}`)
  }
}

/** The roles there are: those of the matrix, highest first, then those of the configuration. */
export class RoleRegistry {
  readonly #roles: ReadonlyMap<string, Role>
  readonly #groups: ReadonlyMap<string, string>
  readonly default: Role

  /** Throws where the default role is none of them. */
  constructor(auth: Pick<Config['tap']['auth'], 'defaultRole' | 'roles' | 'groupMapping'>) {
    const builtIn = (Object.keys(roles) as RoleName[]).map(
      (name): Role => ({ name, capabilities: roles[name], namespaces: '*' }),
    )
    const own = Object.entries(auth.roles).map(
      ([name, { capabilities, namespaces }]): Role => ({
        name,
        capabilities,
        namespaces: namespaces ? [...new Set(namespaces)].sort() : '*',
      }),
    )
    this.#roles = new Map([...builtIn, ...own].map((role) => [role.name, role]))
    this.#groups = new Map(Object.entries(auth.groupMapping))
    const fallback = this.#roles.get(auth.defaultRole)
    if (!fallback) throw new UnknownRole(auth.defaultRole, [...this.#roles.keys()])
    this.default = fallback
  }

  find(name: string): Role | undefined {
    return this.#roles.get(name)
  }

  /** Highest first, each with the groups that are mapped to it. */
  list(): (Role & { readonly groups: readonly string[] })[] {
    return [...this.#roles.values()].map((role) => ({
      ...role,
      groups: [...this.#groups].filter(([, name]) => name === role.name).map(([group]) => group),
    }))
  }

  /**
   * The one role of a caller in these groups: a group that is mapped counts as its role, one that is called like a
   * role of the matrix as that, any other as nothing. The first in the order of the book is the highest.
   */
  highest(groups: readonly string[]): Role | undefined {
    const held = new Set(
      groups.map((group) => this.#groups.get(group) ?? (isRoleName(group) ? group : undefined)),
    )
    for (const role of this.#roles.values()) if (held.has(role.name)) return role
    return undefined
  }
}
